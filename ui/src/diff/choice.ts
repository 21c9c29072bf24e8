import { objectKey } from "./names";
import type { DiffItem } from "./wire";

export interface DiffChoice {
  q?: string;
  kind?: string;
  /** The key of the one object that is meant. */
  object?: string;
}

/** Objects that fit: by name, or by anything that one of their lines says. */
export function chosenItems(items: readonly DiffItem[], { q = "", kind = "", object = "" }: DiffChoice): DiffItem[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(
    (item) =>
      (!kind || item.kind === kind) &&
      (!object || objectKey(item) === object) &&
      words.every((word) => said(item).some((text) => text.toLowerCase().includes(word))),
  );
}

function said(item: DiffItem): string[] {
  const lines = (item.hunks ?? []).flatMap((hunk) => hunk.lines).filter((line) => line.op !== " ");
  return [
    objectKey(item),
    ...(item.changes ?? []).flatMap((change) => [change.path, ...(change.managers ?? [])]),
    ...lines.flatMap((line) => [line.text ?? "", ...(line.managers ?? [])]),
  ];
}

export const kindsOf = (items: readonly DiffItem[]): string[] => [...new Set(items.map((item) => item.kind))].sort();

/** How many lines go and come. */
export function sizeOf(item: DiffItem): { added: number; removed: number } {
  const size = { added: 0, removed: 0 };
  for (const hunk of item.hunks ?? []) {
    for (const line of hunk.lines) {
      if (line.op === "+") size.added += 1;
      if (line.op === "-") size.removed += 1;
    }
  }
  return size;
}
