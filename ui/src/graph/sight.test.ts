import { expect, test } from "vitest";
import type { Health } from "@/kit/model/status";
import { type Branch, grown } from "./forest";
import type { GraphObject } from "./object";
import { everySeen, MOST_DRAWN, type Seen, sight, standing } from "./sight";

function object(kind: string, name: string, parent = "", health?: Health): GraphObject {
  return {
    key: `${kind}/${name}`,
    group: "",
    kind,
    namespace: "",
    name,
    health,
    message: "",
    parents: parent ? [parent] : [],
  };
}
const ROOT = object("Application", "shop");
const many = (kind: string, count: number, health?: Health, parent = "") =>
  Array.from({ length: count }, (_, step) =>
    object(kind, `${kind.toLowerCase()}-${String(step).padStart(3, "0")}`, parent, health),
  );
const keys = (seen: Seen) => everySeen(seen).map((each) => each.key);
const find = (seen: Seen, key: string) => everySeen(seen).find((each) => each.key === key) as Seen;

/** Every object is drawn, or counted by exactly one that is. */
function accounted(seen: Seen): number {
  return everySeen(seen).reduce((sum, each) => sum + (each.branch ? 1 : 0) + (each.open ? 0 : each.hidden), 0);
}

/** Deployments with a ReplicaSet and pods each; of some, one pod is ill. */
function platform(deployments: number, podsEach: number, ill: readonly number[] = []): Branch {
  const objects = Array.from({ length: deployments }, (_, step) => {
    const name = `d-${String(step).padStart(3, "0")}`;
    const pods = Array.from({ length: podsEach }, (_, pod) =>
      object("Pod", `${name}-${pod}`, `ReplicaSet/${name}`, ill.includes(step) && pod === 0 ? "Degraded" : "Healthy"),
    );
    return [
      object("Deployment", name, "", "Healthy"),
      object("ReplicaSet", name, `Deployment/${name}`, "Healthy"),
      ...pods,
    ];
  });
  return grown(ROOT, objects.flat());
}

test("a small application is open as it is", () => {
  const seen = sight(platform(3, 2));
  expect(everySeen(seen)).toHaveLength(13);
  expect(everySeen(seen).every((each) => each.branch)).toBe(true);
});

test("even of few, many that are alike are counted", () => {
  const seen = sight(grown(ROOT, many("ConfigMap", 12)));
  expect(keys(seen)).toEqual(["Application/shop", "Application/shop>well:ConfigMap"]);
  expect(find(seen, "Application/shop>well:ConfigMap")).toMatchObject({ hidden: 12, openable: true, open: false });
});

test("of six hundred objects the way to the ill one is open and the rest is counted", () => {
  const seen = sight(platform(100, 4, [42]));
  expect(keys(seen)).toEqual([
    "Application/shop",
    "Deployment/d-042",
    "Application/shop>well:Deployment",
    "ReplicaSet/d-042",
    "Pod/d-042-0",
    "ReplicaSet/d-042>well:Pod",
  ]);
  expect(accounted(seen)).toBe(601);
});

test("where all is well there are but a few counted groups", () => {
  const seen = sight(platform(100, 4));
  expect(everySeen(seen)).toHaveLength(2);
  expect(find(seen, "Application/shop>well:Deployment")).toMatchObject({ hidden: 600, worst: "Healthy", attention: 0 });
});

test.each([
  ["all are ill", grown(ROOT, many("Pod", 600, "Degraded"))],
  [
    "all are ill and deep",
    platform(
      200,
      10,
      Array.from({ length: 200 }, (_, step) => step),
    ),
  ],
  [
    "there are a thousand kinds",
    grown(
      ROOT,
      Array.from({ length: 1000 }, (_, step) => object(`Kind${step}`, "x", "", "Degraded")),
    ),
  ],
  [
    "a chain is long",
    grown(
      ROOT,
      Array.from({ length: 900 }, (_, step) => object("A", `${step}`, step ? `A/${step - 1}` : "", "Degraded")),
    ),
  ],
])("never more than can be drawn, though %s; and nothing is lost", (_, root) => {
  const seen = sight(root);
  expect(everySeen(seen).length).toBeLessThanOrEqual(MOST_DRAWN);
  expect(accounted(seen)).toBe(root.size);
});

test("of many with the same trouble some are shown, the worst first, and the others counted", () => {
  const seen = sight(grown(ROOT, [...many("Pod", 50, "Progressing"), object("Pod", "zzz", "", "Degraded")]));
  const shown = seen.children.filter((each) => each.branch);
  expect(shown).toHaveLength(6);
  expect(shown[0]?.key).toBe("Pod/zzz");
  expect(find(seen, "Application/shop>ill:Pod")).toMatchObject({ hidden: 45, worst: "Progressing" });
});

test("a group of one is no group", () => {
  const seen = sight(grown(ROOT, [...many("Pod", 7, "Degraded"), ...many("ConfigMap", 60)]));
  expect(seen.children.filter((each) => each.branch)).toHaveLength(7);
});

test("a group opens on wish, a page at a time", () => {
  const root = grown(ROOT, many("ConfigMap", 120));
  const group = "Application/shop>well:ConfigMap";
  const first = sight(root, { opened: new Set([group]) });
  expect(find(first, group).children).toHaveLength(51);
  expect(find(first, `${group}>more`)).toMatchObject({ hidden: 70 });
  const second = sight(root, { opened: new Set([group, `${group}>more`]) });
  expect(everySeen(second).filter((each) => each.branch)).toHaveLength(1 + 100);
  expect(accounted(second)).toBe(121);
});

test("what is well opens on wish, and what is ill closes", () => {
  const root = platform(30, 4, [7]);
  const closed = sight(root, { shut: new Set(["Deployment/d-007"]) });
  expect(keys(closed)).not.toContain("Pod/d-007-0");
  expect(find(closed, "Deployment/d-007")).toMatchObject({ open: false, hidden: 5, openable: true });
  const group = "Application/shop>well:Deployment";
  const open = sight(root, { opened: new Set([group, "Deployment/d-003"]) });
  expect(keys(open)).toContain("ReplicaSet/d-003");
  expect(keys(open)).not.toContain("ReplicaSet/d-004");
});

test("what there is no room for says so", () => {
  const root = grown(ROOT, [
    object("Deployment", "big", "", "Healthy"),
    ...many("Pod", 60, "Healthy", "Deployment/big"),
  ]);
  const group = "Deployment/big>well:Pod";
  const seen = sight(root, { opened: new Set(["Deployment/big", group]), limit: 20 });
  expect(find(seen, group)).toMatchObject({ crowded: true, open: false, hidden: 60 });
});

test("what gets well stays where it was seen", () => {
  const before = sight(platform(100, 4, [42]));
  const after = sight(platform(100, 4), { kept: standing(before) });
  expect(keys(after)).toEqual(expect.arrayContaining(["Deployment/d-042", "ReplicaSet/d-042", "Pod/d-042-0"]));
  expect(keys(sight(platform(100, 4)))).not.toContain("Deployment/d-042");
});

test("those in an opened group do not stand by themselves", () => {
  const root = grown(ROOT, many("ConfigMap", 60));
  const group = "Application/shop>well:ConfigMap";
  const open = sight(root, { opened: new Set([group]) });
  expect([...standing(open)]).toEqual(["Application/shop"]);
  expect(everySeen(sight(root, { kept: standing(open) }))).toHaveLength(2);
});

test("siblings keep the order in which they stand; who comes later stands behind", () => {
  const root = grown(ROOT, [
    object("Pod", "a", "", "Degraded"),
    object("Pod", "b", "", "Healthy"),
    object("Pod", "c", "", "Missing"),
  ]);
  const order = (seen: Seen) => seen.children.map((each) => each.key);
  expect(order(sight(root))).toEqual(["Pod/a", "Pod/c", "Pod/b"]);
  const stood = new Map([
    ["Pod/b", 0],
    ["Pod/a", 70],
  ]);
  expect(order(sight(root, { rank: (key) => stood.get(key) }))).toEqual(["Pod/b", "Pod/a", "Pod/c"]);
});

test("looking twice at the same gives the same", () => {
  const root = platform(100, 4, [3, 42]);
  expect(keys(sight(root))).toEqual(keys(sight(root)));
});
