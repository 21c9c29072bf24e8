import { recordOf } from "@/kit/model/store";
import { type ListSearch, listSearchOf } from "./search";

export interface SavedView {
  name: string;
  search: ListSearch;
}

export const USUAL_VIEWS: readonly SavedView[] = [
  { name: "All applications", search: {} },
  { name: "Needs attention", search: { q: "health:Degraded,Missing", sort: "health" } },
  { name: "Out of sync", search: { q: "sync:OutOfSync" } },
  { name: "In progress", search: { q: "health:Progressing" } },
];

const MOST = 50;

export function viewsOf(stored: unknown): SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, MOST).flatMap((each) => {
    const { name, search } = recordOf(each);
    return typeof name === "string" && name ? [{ name, search: listSearchOf(recordOf(search)) }] : [];
  });
}

/** One name is one view: saving under a name again replaces it. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] => [
  ...views.filter((each) => each.name !== view.name),
  view,
];

export const sameView = (one: ListSearch, other: ListSearch): boolean =>
  one.q === other.q && one.sort === other.sort && one.view === other.view && one.group === other.group;
