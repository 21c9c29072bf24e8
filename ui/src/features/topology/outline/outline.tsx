import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { type Line, lines, moved } from "@/graph/outline";
import { sight } from "@/graph/sight";
import { HealthStatus, SyncStatus } from "@/kit/status";
import type { Resource } from "../model/resource";
import { titleOf } from "../model/words";
import type { Topology } from "../use-topology";

/** Lines are cheaper than nodes. */
const MOST_LINES = 2_000;

/** The same as the picture, for reading and for the keyboard. */
export function Outline({ topology: { root, search, toggle, choose } }: { topology: Topology }) {
  const { opened, shut } = search;
  const all = useMemo(
    () => lines(sight(root, { opened: new Set(opened), shut: new Set(shut), limit: MOST_LINES })),
    [root, opened, shut],
  );
  const [wanted, setWanted] = useState("");
  const tree = useRef<HTMLDivElement>(null);
  const current = all.some((line) => line.seen.key === wanted) ? wanted : (all[0]?.seen.key ?? "");

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = all.find((each) => each.seen.key === current);
    if (line && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose(line.seen);
      return;
    }
    const move = moved(all, current, event.key);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if ("open" in move) toggle(move.open, true);
    else if ("shut" in move) toggle(move.shut, false);
    else {
      setWanted(move.to);
      tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(move.to)}"]`)?.focus();
    }
  };

  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Objects of the application"
      className="min-h-0 flex-1 overflow-auto rounded-lg border border-line bg-surface py-1 text-sm"
      onKeyDown={pressed}
    >
      {all.map((line) => (
        <OutlineLine
          key={line.seen.key}
          line={line}
          current={line.seen.key === current}
          onFocus={() => setWanted(line.seen.key)}
          onToggle={() => toggle(line.seen.key, !line.seen.open)}
          onChoose={() => choose(line.seen)}
        />
      ))}
    </div>
  );
}

interface OutlineLineProps {
  line: Line<Resource>;
  current: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onChoose: () => void;
}

function OutlineLine({ line, current, onFocus, onToggle, onChoose }: OutlineLineProps) {
  const { seen, level, position, of } = line;
  const object = seen.branch?.object;
  const Sign = seen.open ? ChevronDown : ChevronRight;
  const health = object ? object.health : seen.worst;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys
    <div
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={of}
      {...(seen.openable ? { "aria-expanded": seen.open } : {})}
      data-key={seen.key}
      tabIndex={current ? 0 : -1}
      onFocus={onFocus}
      onClick={onChoose}
      className="flex min-h-8 cursor-pointer items-center gap-2 pr-3 hover:bg-hover"
      style={{ paddingInlineStart: `${level * 1.1}rem`, contentVisibility: "auto", containIntrinsicSize: "auto 2rem" }}
    >
      {seen.openable ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do the same
        // biome-ignore lint/a11y/noStaticElementInteractions: a target for pointers only; the line says whether it is open
        <span
          className="grid size-6 shrink-0 place-items-center"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <Sign aria-hidden size={15} />
        </span>
      ) : (
        <span className="w-6 shrink-0" />
      )}
      <span className="font-medium whitespace-nowrap">{titleOf(seen)}</span>
      <span className="text-soft">{object?.kind}</span>
      {health && <HealthStatus status={health} />}
      {object?.sync === "OutOfSync" && <SyncStatus status="OutOfSync" />}
      {object?.orphaned && <span className="text-soft">not in Git</span>}
      {object?.message && <span className="min-w-0 flex-1 truncate text-soft">{object.message}</span>}
      {!seen.open && seen.branch && seen.hidden > 0 && (
        <span className="text-soft whitespace-nowrap">{seen.hidden} not shown</span>
      )}
      {seen.crowded && <span className="text-soft">too many to show here: filter first</span>}
    </div>
  );
}
