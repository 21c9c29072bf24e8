import { passes } from "@/kit/model/query";
import type { Counts } from "./wire";

export type Grouping = "" | "project" | "cluster";

export interface Group {
  name: string;
  /** Place of its first row in the whole list. */
  first: number;
  count: number;
}

export type Line = { kind: "group"; group: Group; folded: boolean } | { kind: "rows"; first: number; count: number };

/** The groups of a sorted list, from the counts alone. Nothing where the counts do not tell all of them. */
export function groupsOf(counts: Counts, by: Grouping, query: string): Group[] | undefined {
  if (!by) return undefined;
  const groups: Group[] = [];
  let first = 0;
  const named = Object.entries(counts[by]).filter(([name, count]) => count > 0 && passes(query, by, name));
  for (const [name, count] of named.sort(([one], [other]) => (one < other ? -1 : 1))) {
    groups.push({ name, first, count });
    first += count;
  }
  return first === counts.total ? groups : undefined;
}

interface Block {
  line: number;
  lines: number;
  group: Group;
  titled: boolean;
  folded: boolean;
}

/** Which rows stand on which line, without having any row: ten thousand are as cheap as ten. */
export class Layout {
  readonly lines: number;
  private readonly blocks: Block[] = [];
  private readonly perLine: number;

  constructor(total: number, groups: readonly Group[] | undefined, folded: ReadonlySet<string>, perLine = 1) {
    this.perLine = perLine;
    let line = 0;
    for (const group of groups ?? [{ name: "", first: 0, count: total }]) {
      const titled = groups !== undefined;
      const hidden = titled && folded.has(group.name);
      const lines = (titled ? 1 : 0) + (hidden ? 0 : Math.ceil(group.count / perLine));
      this.blocks.push({ line, lines, group, titled, folded: hidden });
      line += lines;
    }
    this.lines = line;
  }

  at(line: number): Line {
    const block = this.blockAt((each) => each.line <= line);
    if (!block) return { kind: "rows", first: 0, count: 0 };
    const { group, titled, folded } = block;
    if (titled && line === block.line) return { kind: "group", group, folded };
    const within = (line - block.line - (titled ? 1 : 0)) * this.perLine;
    return { kind: "rows", first: group.first + within, count: Math.min(this.perLine, group.count - within) };
  }

  /** Where a row stands; its group's title where that is folded. */
  lineOf(row: number): number {
    const block = this.blockAt((each) => each.group.first <= row);
    if (!block) return 0;
    if (block.folded) return block.line;
    return block.line + (block.titled ? 1 : 0) + Math.floor((row - block.group.first) / this.perLine);
  }

  /** The row that is *step* rows further among those that are shown; the same at the ends. */
  moved(row: number, step: 1 | -1): number {
    for (let next = row + step; ; next += step) {
      const block = this.blockAt((each) => each.group.first <= next);
      if (!block || next < 0 || next >= block.group.first + block.group.count) return row;
      if (!block.folded) return next;
      next = step > 0 ? block.group.first + block.group.count - 1 : block.group.first;
    }
  }

  private blockAt(before: (block: Block) => boolean): Block | undefined {
    let [low, high] = [0, this.blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.blocks[middle];
      if (block && before(block)) low = middle + 1;
      else high = middle;
    }
    return this.blocks[low - 1];
  }
}
