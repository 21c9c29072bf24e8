import { describe, expect, test } from "vitest";
import { moveOf } from "./keys";
import { allWell, firstLook, grown, keyOf, type Line, linesOf, openAtFirst, pathTo, sizeOf, worstOf } from "./tree";
import type { TreeNode } from "./wire";

const node = (id: number, parent: number | undefined, said: Partial<TreeNode> = {}): TreeNode => ({
  id,
  ...(parent === undefined ? {} : { parent }),
  parts: "none",
  kind: "Bucket",
  name: `n${id}`,
  role: "managed",
  presence: "present",
  state: "well",
  ...said,
});

/** A claim, its composite, one part that fails and *well* that do not. */
function platform(well: number): TreeNode[] {
  return [
    node(0, undefined, { kind: "Database", name: "db", namespace: "shop", role: "claim", state: "wrong" }),
    node(1, 0, { kind: "XDatabase", name: "db-x1", role: "composite", state: "wrong" }),
    node(2, 1, { kind: "Instance", name: "db-i", state: "wrong", message: "DBSubnetGroupNotFound" }),
    ...Array.from({ length: well }, (_, place) => node(place + 3, 1, { kind: place % 3 ? "Subnet" : "Route" })),
  ];
}

const root = (nodes: TreeNode[]) => {
  const branch = grown(nodes);
  if (!branch) throw new Error("nothing grew");
  return branch;
};
const names = (lines: Line[]) => lines.map((line) => (line.kind === "node" ? line.branch.node.name : line.said));

test("a list of nodes is a tree again", () => {
  const tree = root(platform(2));
  expect(sizeOf(tree)).toBe(5);
  expect(tree.branches[0]?.branches.map((each) => each.node.name)).toEqual(["db-i", "n3", "n4"]);
  expect(grown([])).toBeUndefined();
});

test("the way to what is wrong is open, and what is well beside it is one line that counts", () => {
  const tree = root(platform(9));
  const lines = linesOf(tree, openAtFirst(tree, tree.key));
  expect(names(lines)).toEqual(["db", "db-x1", "db-i", "6 Subnet, 3 Route"]);
  expect(lines.at(-1)).toMatchObject({ kind: "group", count: 9, open: false, level: 3, place: 2, siblings: 2 });
});

test("a few that are well are shown as they are", () => {
  const tree = root(platform(3));
  expect(names(linesOf(tree, openAtFirst(tree, tree.key)))).toEqual(["db", "db-x1", "db-i", "n3", "n4", "n5"]);
});

test("what somebody looks at is in sight, even in a group", () => {
  const tree = root(platform(9));
  const looked = keyOf({ kind: "Subnet", name: "n4" });
  expect(names(linesOf(tree, openAtFirst(tree, looked)))).toContain("n4");
});

test("where all is well a small tree is open as a whole, and a large one is not", () => {
  const well = (count: number) =>
    root([
      node(0, undefined, { role: "claim" }),
      node(1, 0, { kind: "X", role: "composite" }),
      ...Array.from({ length: count }, (_, place) => node(place + 2, 1)),
    ]);
  expect(linesOf(well(3), openAtFirst(well(3), ""))).toHaveLength(5);
  expect(linesOf(well(40), openAtFirst(well(40), ""))).toHaveLength(2);
});

test("ten thousand parts that are well are still a few lines", () => {
  const tree = root(platform(10_000));
  expect(linesOf(tree, openAtFirst(tree, ""))).toHaveLength(4);
});

test.each([
  [{ state: "waiting" }, false, "waits"],
  [{ presence: "missing" }, false, "is missing"],
  [{ drift: "size: 20 instead of 10" }, false, "drifted"],
  [{}, true, "is well"],
] as const)("what %j is well: %s, since it %s", (said, expected, _why) => {
  expect(allWell(root([node(0, undefined, said)]))).toBe(expected);
});

describe("what is looked at first", () => {
  const tree = root(platform(2));
  const cause = { said: "", reason: "", message: "", turn: "", next: "", commands: [] };

  test("is the deepest cause", () => {
    const path = [
      { kind: "Database", name: "db", namespace: "shop" },
      { kind: "Instance", name: "db-i" },
    ];
    expect(firstLook(tree, { ...cause, path })).toBe("Instance/db-i");
  });

  test("is the root where there is none, or where it is not drawn", () => {
    expect(firstLook(tree, undefined)).toBe("Database/shop/db");
    expect(firstLook(tree, { ...cause, path: [{ kind: "Gone", name: "x" }] })).toBe("Database/shop/db");
    expect(pathTo(tree, () => false)).toEqual([]);
  });
});

describe("keys", () => {
  const tree = root(platform(9));
  const lines = linesOf(tree, openAtFirst(tree, tree.key));
  const [claim, composite, instance, group] = lines.map((line) => line.key);

  test.each([
    ["ArrowDown", claim, { to: composite }, "down"],
    ["ArrowUp", claim, { to: claim }, "up ends at the top"],
    ["End", claim, { to: group }, "the last"],
    ["Home", group, { to: claim }, "the first"],
    ["ArrowRight", claim, { to: composite }, "into what is open"],
    ["ArrowRight", instance, {}, "nowhere from a leaf"],
    ["ArrowRight", group, { toggle: group }, "opens what is closed"],
    ["ArrowLeft", composite, { toggle: composite }, "closes what is open"],
    ["ArrowLeft", instance, { to: composite }, "out to the parent"],
    ["x", claim, undefined, "other keys are others'"],
  ])("%s on %s does %j: %s", (key, on, expected, _why) => {
    expect(moveOf(key, lines, on ?? "")).toEqual(expected);
  });
});

test.each([
  ["waiting", "wrong", "wrong"],
  ["waiting", "waiting", "waiting"],
  ["well", "wrong", "well"],
] as const)("a claim that is %s with a part that is %s is %s", (own, part, expected) => {
  expect(worstOf(own, { sentence: "", nodes: [node(0, undefined, { state: part })] })).toBe(expected);
  expect(worstOf(own, undefined)).toBe(own);
});
