import { useMutation } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import { sync } from "../api";
import type { Row } from "../model/row";
import { type Outcome, outcomeOf, refusedOutcome, type SyncOptions } from "../model/sync";

const AT_ONCE = 4;

async function one(row: Row, options: SyncOptions): Promise<Outcome> {
  try {
    return outcomeOf(row.key, await sync(row.namespace, row.name, options));
  } catch (failure) {
    return refusedOutcome(row.key, row.name, failure instanceof ApiError ? failure.message : String(failure));
  }
}

/** Asks for each, a few at a time; one that is refused does not stop the others. */
async function every(rows: readonly Row[], options: SyncOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const worker = async () => {
    for (let place = next++; place < rows.length; place = next++) {
      const row = rows[place];
      if (row) outcomes[place] = await one(row, options);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows.length) }, worker));
  return outcomes;
}

export interface SyncResult {
  options: SyncOptions;
  outcomes: Outcome[];
}

export function useSync(rows: readonly Row[]) {
  return useMutation({
    mutationFn: async (options: SyncOptions): Promise<SyncResult> => ({
      options,
      outcomes: await every(rows, options),
    }),
  });
}
