import type { DiffHunk, DiffLine } from "./wire";

const CONTEXT = 3;
/** Beyond so many pairs of lines what lies between equal ends is shown as all gone and all new. */
const MOST_PAIRS = 4_000_000;

/** How one text becomes another, line by line. Ours, for two texts of which neither is what the server compares. */
export function hunksBetween(before: string, after: string): DiffHunk[] {
  return hunksOf(linesBetween(split(before), split(after)));
}

const split = (text: string): string[] => (text ? text.replace(/\n$/, "").split("\n") : []);

function linesBetween(old: string[], young: string[]): DiffLine[] {
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end += 1;
  const kept = (line: string): DiffLine => ({ op: " ", text: line });
  return [
    ...old.slice(0, start).map(kept),
    ...between(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...old.slice(old.length - end).map(kept),
  ];
}

function between(old: string[], young: string[]): DiffLine[] {
  const gone = (line: string): DiffLine => ({ op: "-", text: line });
  const come = (line: string): DiffLine => ({ op: "+", text: line });
  if (old.length * young.length > MOST_PAIRS) return [...old.map(gone), ...young.map(come)];
  const width = young.length + 1;
  // How many lines are common from here on, for every pair of places.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = young.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === young[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < young.length) {
    const [left, right] = [old[row], young[column]];
    if (left !== undefined && left === right) {
      lines.push({ op: " ", text: left });
      row += 1;
      column += 1;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(left));
      row += 1;
    } else if (right !== undefined) {
      lines.push(come(right));
      column += 1;
    }
  }
  return lines;
}

function hunksOf(lines: readonly DiffLine[]): DiffHunk[] {
  const near = nearChanges(lines);
  const hunks: DiffHunk[] = [];
  let open: DiffHunk | undefined;
  let [before, after] = [1, 1];
  for (const [place, line] of lines.entries()) {
    if (near[place]) {
      if (!open) {
        open = { beforeStart: before, beforeLines: 0, afterStart: after, afterLines: 0, lines: [] };
        hunks.push(open);
      }
      open.lines.push(line);
      if (line.op !== "+") open.beforeLines += 1;
      if (line.op !== "-") open.afterLines += 1;
    } else open = undefined;
    if (line.op !== "+") before += 1;
    if (line.op !== "-") after += 1;
  }
  return hunks;
}

function nearChanges(lines: readonly DiffLine[]): boolean[] {
  const near = new Array<boolean>(lines.length).fill(false);
  for (const [place, line] of lines.entries()) {
    if (line.op !== " ") near.fill(true, Math.max(0, place - CONTEXT), place + CONTEXT + 1);
  }
  return near;
}
