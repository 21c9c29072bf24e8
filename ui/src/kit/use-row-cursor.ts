import { useState } from "react";
import { useKeys } from "@/app/keys/use-keys";

/** Moves through rows by keys, and opens the one that it stands on. Returns where it stands. */
export function useRowCursor<T>(rows: readonly T[], group: string, onOpen: (row: T) => void): number {
  const [at, setAt] = useState(0);
  const current = Math.min(at, rows.length - 1);
  const move = (step: number) => () => setAt(Math.min(Math.max(current + step, 0), rows.length - 1));
  const open = () => {
    const row = rows[current];
    if (row !== undefined) onOpen(row);
  };
  const id = group.toLowerCase();
  useKeys([
    { id: `${id}-next`, keys: "j", title: "Next", group, run: move(1) },
    { id: `${id}-previous`, keys: "k", title: "Previous", group, run: move(-1) },
    { id: `${id}-open`, keys: "o", title: "Open", group, run: open },
  ]);
  return current;
}
