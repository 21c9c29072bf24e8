import { GroupTitle } from "./group-title";
import { ApplicationTile } from "./tile";
import type { ListBody } from "./types";

interface TilesProps extends ListBody {
  columns: number;
}

/** The same lines as the table's, each as wide as the window has room for tiles. */
export function ApplicationTiles({ layout, virtualizer, listing, columns, ...rest }: TilesProps) {
  return (
    <div className="relative mx-4" style={{ height: virtualizer.getTotalSize() }} aria-busy={listing.stale}>
      {virtualizer.getVirtualItems().map((item) => {
        const line = layout.at(item.index);
        const place = { height: item.size, transform: `translateY(${item.start}px)` };
        if (line.kind === "group") {
          return (
            <div key={item.key} className="absolute inset-x-0 top-0" style={place}>
              <GroupTitle group={line.group} folded={line.folded} onFold={rest.onFold} />
            </div>
          );
        }
        return (
          <ul
            key={item.key}
            aria-label={`Applications ${line.first + 1} to ${line.first + line.count}`}
            className="absolute inset-x-0 top-0 grid gap-3 pb-3"
            style={{ ...place, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
          >
            {Array.from({ length: line.count }, (_, step) => line.first + step).map((each) => {
              const row = listing.rowAt(each);
              if (!row) {
                return (
                  <li key={each} className="rounded-lg border border-line p-(--pad) text-sm text-soft">
                    Tile {each + 1} is on its way
                  </li>
                );
              }
              return (
                <ApplicationTile
                  key={row.key}
                  row={row}
                  place={each}
                  current={each === rest.current}
                  selected={rest.selected.has(row.key)}
                  pinned={rest.pinned.has(row.key)}
                  cluster={rest.clusterName(row.cluster)}
                  onSelect={rest.onSelect}
                  onPoint={rest.onPoint}
                />
              );
            })}
          </ul>
        );
      })}
    </div>
  );
}
