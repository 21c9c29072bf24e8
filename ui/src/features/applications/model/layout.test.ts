import { describe, expect, test } from "vitest";
import { groupsOf, Layout } from "./layout";
import type { Counts } from "./wire";

const counts = (project: Record<string, number>, total?: number): Counts => ({
  total: total ?? Object.values(project).reduce((sum, count) => sum + count, 0),
  health: {},
  sync: {},
  project,
  cluster: {},
});
const NONE: ReadonlySet<string> = new Set();

describe("groups", () => {
  test("stand in the order of their names, each behind the one before", () => {
    expect(groupsOf(counts({ b: 2, a: 3 }), "project", "")).toEqual([
      { name: "a", first: 0, count: 3 },
      { name: "b", first: 3, count: 2 },
    ]);
  });

  test("that the filter leaves out are left out", () => {
    expect(groupsOf(counts({ a: 3, b: 2 }, 2), "project", "project:b")).toEqual([{ name: "b", first: 0, count: 2 }]);
  });

  test("are given up where the counts do not tell all of them", () => {
    expect(groupsOf(counts({ a: 3 }, 10), "project", "")).toBeUndefined();
    expect(groupsOf(counts({ a: 3 }), "", "")).toBeUndefined();
  });
});

const GROUPS = groupsOf(counts({ a: 3, b: 5, c: 1 }), "project", "");

/** Every row of every line, in order. */
function shown(layout: Layout): number[] {
  return Array.from({ length: layout.lines }, (_, line) => layout.at(line)).flatMap((line) =>
    line.kind === "rows" ? Array.from({ length: line.count }, (_, step) => line.first + step) : [],
  );
}

describe("a layout", () => {
  test.each([1, 2, 3, 4, 7])("with %i on a line shows every row once, and knows its line", (perLine) => {
    for (const groups of [undefined, GROUPS]) {
      const layout = new Layout(9, groups, NONE, perLine);
      expect(shown(layout)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
      for (const row of shown(layout)) {
        const line = layout.at(layout.lineOf(row));
        expect(line.kind === "rows" && line.first <= row && row < line.first + line.count).toBe(true);
      }
    }
  });

  test("hides the rows of folded groups and keeps their titles", () => {
    const layout = new Layout(9, GROUPS, new Set(["b"]));
    expect(shown(layout)).toEqual([0, 1, 2, 8]);
    expect(layout.at(4)).toMatchObject({ kind: "group", folded: true, group: { name: "b" } });
    expect(layout.lineOf(5)).toBe(4);
  });

  test("moves past what is folded and stays at the ends", () => {
    const layout = new Layout(9, GROUPS, new Set(["b"]));
    expect([layout.moved(0, -1), layout.moved(2, 1), layout.moved(8, -1), layout.moved(8, 1)]).toEqual([0, 8, 2, 8]);
    expect(new Layout(9, GROUPS, new Set(["a", "b"])).moved(8, -1)).toBe(8);
  });

  test("of nothing has no lines", () => {
    const layout = new Layout(0, undefined, NONE);
    expect([layout.lines, layout.lineOf(0), layout.moved(0, 1)]).toEqual([0, 0, 0]);
    expect(new Layout(0, [], NONE).at(0)).toEqual({ kind: "rows", first: 0, count: 0 });
  });

  test("of ten thousand rows is a few blocks", () => {
    const layout = new Layout(10_000, undefined, NONE);
    expect(layout.lines).toBe(10_000);
    expect(layout.at(9_999)).toEqual({ kind: "rows", first: 9_999, count: 1 });
  });
});
