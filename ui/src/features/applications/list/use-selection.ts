import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { toast } from "sonner";
import { type Question, rowsQuery } from "../api";
import type { Row } from "../model/row";

/** A sync of more than that is a matter for a query and a command. */
const MOST = 500;

export interface Selection {
  rows: ReadonlyMap<string, Row>;
  toggle: (row: Row, selected: boolean) => void;
  /** Everything that the question finds, also what was never scrolled to. */
  all: (question: Question) => Promise<void>;
  clear: () => void;
}

export function useSelection(): Selection {
  const queryClient = useQueryClient();
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const toggle = useCallback((row: Row, selected: boolean) => {
    setRows((before) => {
      const after = new Map(before);
      if (selected) after.set(row.key, row);
      else after.delete(row.key);
      return after;
    });
  }, []);
  const all = useCallback(
    async (question: Question) => {
      const { rows: found, counts } = await queryClient.fetchQuery(rowsQuery(question, MOST));
      setRows(new Map(found.map((row) => [row.key, row])));
      if (counts.total > found.length) toast.message(`The first ${found.length} of ${counts.total} are selected`);
    },
    [queryClient],
  );
  const clear = useCallback(() => setRows(new Map()), []);
  return { rows, toggle, all, clear };
}
