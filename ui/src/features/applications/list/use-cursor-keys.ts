import { useGo } from "@/app/go";
import { type KeyBinding, useKeys } from "@/app/keys/use-keys";
import type { Layout } from "../model/layout";
import { togglePin } from "../stores";
import type { Listing } from "./use-listing";
import type { Selection } from "./use-selection";

interface Cursor {
  layout: Layout;
  current: number;
  listing: Listing;
  selection: Selection;
  onMove: (place: number) => void;
  scrollTo: (line: number) => void;
}

const GROUP = "List of applications";

/** Moving through the list without a mouse. */
export function useCursorKeys({ layout, current, listing, selection, onMove, scrollTo }: Cursor): void {
  const go = useGo();
  const row = listing.rowAt(current);
  const move = (step: 1 | -1) => () => {
    const next = layout.moved(current, step);
    onMove(next);
    scrollTo(layout.lineOf(next));
  };
  const bound = (id: string, keys: string, title: string, run: KeyBinding["run"]): KeyBinding => ({
    id: `applications-${id}`,
    keys,
    title,
    group: GROUP,
    run,
  });
  useKeys([
    bound("next", "j", "Next", move(1)),
    bound("previous", "k", "Previous", move(-1)),
    bound("next-arrow", "ArrowDown", "Next", move(1)),
    bound("previous-arrow", "ArrowUp", "Previous", move(-1)),
    bound("open", "o", "Open", () => row && go.to(`/applications/${row.namespace}/${row.name}`)),
    bound("open-enter", "Enter", "Open", (event) => {
      // On a link or a button Enter means that.
      if (event.target instanceof Element && event.target.closest("a, button")) (event.target as HTMLElement).click();
      else if (row) go.to(`/applications/${row.namespace}/${row.name}`);
    }),
    bound("select", "x", "Select", () => row && selection.toggle(row, !selection.rows.has(row.key))),
    bound("pin", "p", "Pin or unpin", () => row && togglePin(row.key)),
  ]);
}
