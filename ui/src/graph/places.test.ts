import { expect, test } from "vitest";
import { grown } from "./forest";
import type { GraphObject } from "./object";
import { around, NODE_HEIGHT, NODE_WIDTH, placed, viewOf } from "./places";
import { everySeen, sight, standing } from "./sight";

const object = (name: string, parent = "", health: GraphObject["health"] = "Degraded"): GraphObject => {
  return { key: name, group: "", kind: "A", namespace: "", name, health, message: "", parents: parent ? [parent] : [] };
};
const tree = (...names: string[]) =>
  grown(
    object("app"),
    names.map((name) => object(...(name.split("<") as [string, string?]))),
  );

test("nothing covers anything else", () => {
  const names = Array.from({ length: 200 }, (_, step) => (step < 6 ? `n${step}` : `n${step}<n${Math.floor(step / 4)}`));
  const places = [...placed(sight(tree(...names))).values()];
  expect(places.length).toBeGreaterThan(30);
  for (const [at, one] of places.entries()) {
    for (const other of places.slice(at + 1)) {
      expect(Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT).toBe(true);
    }
  }
});

test("what belongs to something is to the right of it", () => {
  const seen = sight(tree("a", "b<a", "c<b"));
  const places = placed(seen);
  for (const { key, parent } of everySeen(seen)) {
    if (parent) expect(places.get(key)?.x).toBeGreaterThan(places.get(parent.key)?.x ?? Infinity);
  }
});

test("the first way is a straight line on top", () => {
  const places = placed(sight(tree("a", "b", "c<a", "d<c")));
  expect(["app", "a", "c", "d"].map((key) => places.get(key)?.y)).toEqual([0, 0, 0, 0]);
  expect(places.get("b")?.y).toBeGreaterThan(0);
});

test("an update that changes no shape moves nothing", () => {
  expect(placed(sight(tree("c<a", "b", "a")))).toEqual(placed(sight(tree("a", "b", "c<a"))));
});

test("who gets well moves nothing", () => {
  const [ill, well] = [tree("a", "b", "c<a"), tree("a", "b", "c<a")];
  for (const branch of well.children) branch.attention = 0;
  const first = sight(ill);
  const before = placed(first);
  const rank = (key: string) => before.get(key)?.y;
  expect(placed(sight(well, { kept: standing(first), rank }))).toEqual(before);
});

test("what opens or comes along moves only what is below it", () => {
  const closed = sight(tree("a", "b", "b-1<b", "b-2<b", "c"), { shut: new Set(["b"]) });
  const before = placed(closed);
  const rank = (key: string) => before.get(key)?.y;
  const after = placed(sight(tree("a", "b", "b-1<b", "b-2<b", "c", "0-new"), { kept: standing(closed), rank }));
  for (const key of ["app", "a", "b"]) expect(after.get(key)).toEqual(before.get(key));
  expect(after.get("c")?.y).toBeGreaterThan(before.get("c")?.y ?? Infinity);
  expect(after.get("0-new")?.y).toBeGreaterThan(after.get("c")?.y ?? Infinity);
});

test.each([
  [
    "what fits is in the middle and never enlarged",
    { x: 0, y: 0, width: 200, height: 100 },
    { x: 400, y: 250, zoom: 1 },
  ],
  ["what nearly fits is made smaller", { x: 0, y: 0, width: 1190, height: 100 }, { x: 24, y: 260, zoom: 0.8 }],
  [
    "of what is too large the beginning is seen",
    { x: 100, y: 50, width: 9000, height: 9000 },
    { x: -51, y: -13.5, zoom: 0.75 },
  ],
])("%s", (_, box, view) => {
  const { x, y, zoom } = viewOf(box, { width: 1000, height: 600 }, 0.75);
  expect([x, y, zoom].map((each) => Math.round(each * 10) / 10)).toEqual(
    [view.x, view.y, view.zoom].map((each) => Math.round(each * 10) / 10),
  );
});

test("a box holds all that it is asked to hold", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 300, y: -50 }],
  ]);
  expect(around(places, ["a", "b", "gone"])).toEqual({
    x: 0,
    y: -50,
    width: 300 + NODE_WIDTH,
    height: 50 + NODE_HEIGHT,
  });
  expect(around(places, ["gone"])).toBeUndefined();
});
