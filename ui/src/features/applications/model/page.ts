import type { Change } from "@/api/live/topics";
import { type Row, rowOf } from "./row";
import type { Application, ApplicationList, Counts } from "./wire";

/** Rows of one page. Whole pages are asked for, so that a scrolled list asks for the same ones again. */
export const PAGE = 100;

export interface Page {
  rows: readonly Row[];
  counts: Counts;
  /** Why the server may be behind, in its words; empty while it is not. */
  behind: string;
}

export function pageOf(list: ApplicationList): Page {
  const rows = (list.items ?? []).map(rowOf);
  const said = list.counts ?? {};
  return {
    rows,
    behind: list.stale ?? "",
    counts: {
      total: said.total ?? rows.length,
      health: said.health ?? {},
      sync: said.sync ?? {},
      project: said.project ?? {},
      cluster: said.cluster ?? {},
    },
  };
}

/** *page* with what changed put in its place, the same page if nothing of it did. Whether a row still belongs there is the server's to say. */
export function patched(page: Page, changes: readonly Change[]): Page {
  const after = new Map<string, Row>();
  for (const change of changes) {
    const row = changedRow(change);
    if (row) after.set(row.key, row);
  }
  if (!page.rows.some((row) => after.has(row.key))) return page;
  return { ...page, rows: page.rows.map((row) => after.get(row.key) ?? row) };
}

export function changedRow(change: Change): Row | undefined {
  const object = change.object as Application | undefined;
  return typeof object?.metadata?.name === "string" ? rowOf(object) : undefined;
}

/** A sentence for each row of *page* whose health is another now. */
export function healthNews(page: Page, changes: readonly Change[]): string[] {
  const before = new Map(page.rows.map((row) => [row.key, row.health]));
  return changes
    .map(changedRow)
    .filter((row) => row !== undefined)
    .filter((row) => before.has(row.key) && before.get(row.key) !== row.health)
    .map((row) => `${row.name} is ${row.health}`);
}

/** Where the pages begin that hold the rows from *first* to *last*. */
export function pagesFor(first: number, last: number): number[] {
  const start = Math.floor(Math.max(first, 0) / PAGE);
  const end = Math.floor(Math.max(last, 0) / PAGE);
  return Array.from({ length: end - start + 1 }, (_, place) => (start + place) * PAGE);
}
