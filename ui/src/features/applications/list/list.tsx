import { useEffect, useMemo, useRef, useState } from "react";
import { Failed, Loading } from "@/kit/state";
import { useStore } from "@/kit/use-store";
import type { Question } from "../api";
import { useClusterName } from "../cluster-names";
import { groupsOf, Layout } from "../model/layout";
import { type ListSearch, type Sortable, sortAfterClick } from "../model/search";
import { pins } from "../stores";
import { NoApplications } from "./none";
import { ApplicationTable } from "./table";
import { ApplicationTiles } from "./tiles";
import type { ListBody } from "./types";
import { useColumns } from "./use-columns";
import { useCursorKeys } from "./use-cursor-keys";
import { offsetsFor, useLines } from "./use-lines";
import type { Listing } from "./use-listing";
import type { Selection } from "./use-selection";

interface ListProps {
  search: ListSearch;
  question: Question;
  listing: Listing;
  selection: Selection;
  /** Tells which pages the lines in sight need. */
  onLook: (offsets: number[]) => void;
  onSearch: (changed: ListSearch) => void;
}

/** All applications that a question finds, as rows or as tiles. */
export function ApplicationList({ search, question, listing, selection, onLook, onSearch }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const tiles = search.view === "tiles";
  const columns = useColumns(scroller, tiles, !listing.pending && listing.counts.total > 0);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState(0);
  const clusterName = useClusterName();
  const pinned = useStore(pins);
  const pinnedSet = useMemo(() => new Set(pinned), [pinned]);

  const groups = useMemo(
    () => groupsOf(listing.counts, search.group ?? "", question.q),
    [listing.counts, search.group, question.q],
  );
  const total = listing.counts.total;
  const layout = useMemo(() => new Layout(total, groups, folded, columns), [total, groups, folded, columns]);
  const virtualizer = useLines(layout, scroller, tiles ? "tile" : "row");
  const items = virtualizer.getVirtualItems();
  const wanted = offsetsFor(layout, items[0]?.index ?? 0, items.at(-1)?.index ?? 0).join();
  useEffect(() => onLook(wanted.split(",").map(Number)), [wanted, onLook]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is another list, which begins at its top
  useEffect(() => {
    scroller.current?.scrollTo?.({ top: 0 });
    setCurrent(0);
  }, [question.q, question.order]);

  useCursorKeys({
    layout,
    current,
    listing,
    selection,
    onMove: setCurrent,
    scrollTo: (line) => virtualizer.scrollToIndex(line),
  });

  if (listing.error && !listing.stale && total === 0) {
    return <Failed error={listing.error} what="The applications" onRetry={listing.retry} />;
  }
  if (listing.pending) return <Loading sentence="The applications are on their way." />;
  if (total === 0) return <NoApplications query={question.q} onClear={() => onSearch(withoutQuery(search))} />;

  const body: ListBody = {
    layout,
    virtualizer,
    listing,
    current,
    selected: selection.rows,
    pinned: pinnedSet,
    onSelect: selection.toggle,
    onPoint: setCurrent,
    clusterName,
    onFold: (name) => setFolded((before) => toggledSet(before, name)),
  };
  const sort = (column: Sortable) => {
    const { sort: _, ...others } = search;
    const next = sortAfterClick(search.sort, column);
    onSearch(next ? { ...others, sort: next } : others);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section ref={scroller} tabIndex={0} aria-label="List of applications" className="min-h-0 flex-1 overflow-auto">
      {search.group && !groups && (
        <p className="px-4 py-2 text-sm text-soft">
          There are too many groups to fold; the list is sorted by {search.group} instead.
        </p>
      )}
      {tiles ? (
        <ApplicationTiles {...body} columns={columns} />
      ) : (
        <ApplicationTable
          {...body}
          scroller={scroller}
          sort={search.sort}
          onSort={sort}
          allSelected={selection.rows.size > 0 && selection.rows.size >= total}
          onSelectAll={(all) => (all ? void selection.all(question) : selection.clear())}
        />
      )}
    </section>
  );
}

function withoutQuery({ q: _, ...others }: ListSearch): ListSearch {
  return others;
}

function toggledSet(before: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(name)) after.add(name);
  return after;
}
