import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTopic } from "@/api/live";
import { announce } from "@/app/announcer";
import { LISTS, pageQuery, type Question } from "../api";
import { healthNews, type Page, patched } from "../model/page";
import type { Row } from "../model/row";
import type { Counts } from "../model/wire";

const SETTLE_MS = 1_500;
const NO_COUNTS: Counts = { total: 0, health: {}, sync: {}, project: {}, cluster: {} };

export interface Listing {
  counts: Counts;
  behind: string;
  /** The row at a place of the whole list; absent until its page is there. */
  rowAt: (place: number) => Row | undefined;
  /** Whether nothing can be shown yet. */
  pending: boolean;
  /** Whether what is shown is of an earlier question. */
  stale: boolean;
  error: Error | null;
  retry: () => void;
}

/** The answer to a question, of which only those pages are fetched that somebody looks at. */
export function useListing(question: Question, offsets: readonly number[]): Listing {
  const wanted = useMemo(() => [...new Set([0, ...offsets])], [offsets]);
  const answers = useQueries({
    queries: wanted.map((offset) => pageQuery(question, offset)),
    combine: (all) => ({
      pages: all.map((each) => each.data),
      error: all.find((each) => each.error)?.error ?? null,
      retry: () => void Promise.all(all.map((each) => each.refetch())),
    }),
  });
  const first = answers.pages[0];
  const shown = useLast(first);
  const rows = useMemo(() => rowsOf(wanted, [shown, ...answers.pages.slice(1)]), [wanted, answers.pages, shown]);
  return {
    counts: shown?.counts ?? NO_COUNTS,
    behind: shown?.behind ?? "",
    rowAt: useCallback((place: number) => rows.get(place), [rows]),
    pending: !shown && !answers.error,
    stale: !first && shown !== undefined,
    error: answers.error,
    retry: answers.retry,
  };
}

/** The first page that was there last, to look at while another is on its way. */
function useLast(first: Page | undefined): Page | undefined {
  const [last, setLast] = useState(first);
  if (first && first !== last) setLast(first);
  return first ?? last;
}

function rowsOf(offsets: readonly number[], pages: readonly (Page | undefined)[]): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (const [place, page] of pages.entries()) {
    for (const [step, row] of page?.rows.entries() ?? []) rows.set((offsets[place] ?? 0) + step, row);
  }
  return rows;
}

/** Puts news into all lists at once, and a moment later asks what belongs where and how many there are of each. */
export function useLiveListing(): void {
  const queryClient = useQueryClient();
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settling.current), []);
  const settle = () => {
    settling.current = undefined;
    void queryClient.invalidateQueries({ queryKey: LISTS });
  };
  useTopic("applications", (changes) => {
    if (changes.some((change) => change.kind === "RESET")) return settle();
    for (const [, page] of queryClient.getQueriesData<Page>({ queryKey: LISTS, type: "active" })) {
      if (page) for (const sentence of healthNews(page, changes)) announce(sentence);
    }
    queryClient.setQueriesData<Page>({ queryKey: LISTS }, (page) => page && patched(page, changes));
    settling.current ??= setTimeout(settle, SETTLE_MS);
  });
}
