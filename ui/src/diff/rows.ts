import type { DiffHunk, DiffItem, DiffLine } from "./wire";

/** What is known of a value that nobody may read. */
export type Hidden = "equal" | "changed";

export interface LineRow {
  kind: "line";
  key: string;
  op: DiffLine["op"];
  text: string;
  path: string;
  managers: readonly string[];
  before: number | undefined;
  after: number | undefined;
  hidden: Hidden | undefined;
}

export type DiffRow =
  | LineRow
  | { kind: "defaults"; key: string; lines: readonly LineRow[] }
  | { kind: "gap"; key: string; count: number };

/** More than anybody reads; the rest is a command away. */
export const MOST_ROWS = 1_500;

/** Rows of one object: lines that only the server wrote are folded, what lies between hunks is counted. */
export function rowsOf(item: DiffItem): { rows: DiffRow[]; cut: boolean } {
  const rows: DiffRow[] = [];
  const secret = item.kind === "Secret" && !item.group;
  let place = 1;
  for (const hunk of item.hunks ?? []) {
    const gap = hunk.beforeStart - place;
    if (gap > 0 && hunk.beforeLines > 0) rows.push({ kind: "gap", key: `gap-${place}`, count: gap });
    rows.push(...folded(numbered(hunk, secret)));
    place = hunk.beforeStart + hunk.beforeLines;
  }
  return { rows: rows.slice(0, MOST_ROWS), cut: rows.length > MOST_ROWS || item.truncated === true };
}

function* numbered(hunk: DiffHunk, secret: boolean): Generator<[LineRow, boolean]> {
  let { beforeStart: before, afterStart: after } = hunk;
  for (const line of hunk.lines) {
    const text = line.text ?? "";
    const row: LineRow = {
      kind: "line",
      key: `${line.op}${before}-${after}`,
      op: line.op,
      text,
      path: line.path ?? "",
      managers: line.managers ?? [],
      before: line.op === "+" ? undefined : before,
      after: line.op === "-" ? undefined : after,
      hidden: secret ? hiddenIn(line) : undefined,
    };
    yield [row.hidden ? { ...row, text: veiled(text) } : row, line.default === true && line.op === " "];
    if (line.op !== "+") before += 1;
    if (line.op !== "-") after += 1;
  }
}

function folded(lines: Iterable<[LineRow, boolean]>): DiffRow[] {
  const rows: DiffRow[] = [];
  let defaults: LineRow[] = [];
  const fold = () => {
    const first = defaults[0];
    if (first) rows.push({ kind: "defaults", key: `defaults-${first.key}`, lines: defaults });
    defaults = [];
  };
  for (const [row, untouched] of lines) {
    if (untouched) {
      defaults.push(row);
      continue;
    }
    fold();
    rows.push(row);
  }
  fold();
  return rows;
}

/** The server writes runs of `+` in place of values; equal runs are equal values. */
const MASK = /^(\s*(?:"[^"]*"|[^\s:]+):\s+)["']?\+{8,}["']?\s*$/;

function hiddenIn(line: DiffLine): Hidden | undefined {
  if (!MASK.test(line.text ?? "")) return undefined;
  return line.op === " " ? "equal" : "changed";
}

const veiled = (text: string): string => text.replace(MASK, "$1").trimEnd();
