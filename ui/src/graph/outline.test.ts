import { expect, test } from "vitest";
import { healthChanges, healthsOf } from "./changes";
import { grown } from "./forest";
import type { GraphObject } from "./object";
import { lines, type Move, moved, movedInPicture } from "./outline";
import { sight } from "./sight";

const object = (name: string, parent = "", health?: GraphObject["health"]): GraphObject => {
  return {
    key: name,
    group: "",
    kind: "Pod",
    namespace: "",
    name,
    health,
    message: "",
    parents: parent ? [parent] : [],
  };
};
const ROOT = grown(object("app"), [object("web"), object("web-1", "web"), object("web-2", "web"), object("zoo")]);
const ALL = lines(sight(ROOT));

test("lines come each before what is below it, with their place among their siblings", () => {
  expect(ALL.map(({ seen, level, position, of }) => [seen.key, level, position, of])).toEqual([
    ["app", 1, 1, 1],
    ["web", 2, 1, 2],
    ["web-1", 3, 1, 2],
    ["web-2", 3, 2, 2],
    ["zoo", 2, 2, 2],
  ]);
});

test.each<[why: string, at: string, key: string, move: Move | undefined]>([
  ["down is the next line", "app", "ArrowDown", { to: "web" }],
  ["down at the end stays", "zoo", "ArrowDown", undefined],
  ["up is the line before", "web-1", "ArrowUp", { to: "web" }],
  ["up at the start stays", "app", "ArrowUp", undefined],
  ["right goes into what is open", "web", "ArrowRight", { to: "web-1" }],
  ["right at a leaf stays", "zoo", "ArrowRight", undefined],
  ["left closes what is open", "web", "ArrowLeft", { shut: "web" }],
  ["left at a leaf goes up", "web-2", "ArrowLeft", { to: "web" }],
  ["left at the root stays", "app", "ArrowLeft", undefined],
  ["Home is the first", "zoo", "Home", { to: "app" }],
  ["End is the last", "app", "End", { to: "zoo" }],
  ["a letter goes to the next that starts with it", "app", "z", { to: "zoo" }],
  ["a letter goes round", "zoo", "W", { to: "web" }],
  ["a letter that nobody has stays", "app", "q", undefined],
  ["other keys are not ours", "app", "Tab", undefined],
  ["a blank is no letter", "app", " ", undefined],
  ["from a line that is gone it starts at the first", "gone", "ArrowDown", { to: "web" }],
])("%s", (_, at, key, move) => {
  expect(moved(ALL, at, key)).toEqual(move);
});

test("right opens what is closed", () => {
  const closed = lines(sight(ROOT, { shut: new Set(["web"]) }));
  expect(moved(closed, "web", "ArrowRight")).toEqual({ open: "web" });
  expect(moved(closed, "web", "ArrowLeft")).toEqual({ to: "app" });
});

test("in nothing there is nowhere to go", () => {
  expect(moved([], "", "ArrowDown")).toBeUndefined();
  expect(movedInPicture([], "", "ArrowDown")).toBeUndefined();
});

test.each<[why: string, at: string, key: string, move: Move | undefined]>([
  ["down stays in the column", "web", "ArrowDown", { to: "zoo" }],
  ["up stays in the column", "zoo", "ArrowUp", { to: "web" }],
  ["right goes to what belongs to it", "web", "ArrowRight", { to: "web-1" }],
  ["left goes to what it belongs to, and closes nothing", "web", "ArrowLeft", { to: "app" }],
  ["letters are for the outline", "web", "z", undefined],
])("in the picture %s", (_, at, key, move) => {
  expect(movedInPicture(ALL, at, key)).toEqual(move);
});

test("who fares otherwise is told, the degraded first", () => {
  const before = healthsOf([
    object("a", "", "Healthy"),
    object("b", "", "Healthy"),
    object("c", "", "Healthy"),
    object("d"),
  ]);
  const now = [object("a", "", "Progressing"), object("b", "", "Degraded"), object("c", "", "Healthy"), object("d")];
  expect(healthChanges(before, now)).toEqual(["Pod b is Degraded", "Pod a is Progressing"]);
});

test("who is new is told of only when ill", () => {
  const now = [object("a", "", "Healthy"), object("b", "", "Degraded"), object("c", "", "Progressing")];
  expect(healthChanges(new Map(), now)).toEqual(["Pod b is Degraded"]);
});
