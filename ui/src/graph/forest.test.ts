import { expect, test } from "vitest";
import type { Health } from "@/kit/model/status";
import { type Branch, everyBranch, filtered, grown, isFiltering, rootCause } from "./forest";
import { attentionOf, type GraphObject, kindOf, worseOf } from "./object";

const object = (key: string, parents: string[] = [], said: Partial<GraphObject> = {}): GraphObject => {
  const [kind = "", name = ""] = key.split("/");
  return { key, group: "", kind, namespace: "shop", name, message: "", parents, ...said };
};
const ROOT = object("Application/shop");
const drawn = (branch: Branch): unknown =>
  branch.children.length === 0 ? branch.object.key : { [branch.object.key]: branch.children.map(drawn) };
const keys = (root: Branch) => everyBranch(root).map((branch) => branch.object.key);

test.each<[why: string, said: { health?: Health; sync?: "Synced" | "OutOfSync" | "Blocked" }, attention: number]>([
  ["a kind without health is well", {}, 0],
  ["healthy is well", { health: "Healthy" }, 0],
  ["degraded is the worst", { health: "Degraded" }, 5],
  ["missing is nearly as bad", { health: "Missing" }, 4],
  ["progressing is looked at", { health: "Progressing" }, 2],
  ["what differs from Git is looked at", { health: "Healthy", sync: "OutOfSync" }, 1],
  ["what is blocked as well", { sync: "Blocked" }, 1],
  ["health counts more than a difference", { health: "Degraded", sync: "OutOfSync" }, 5],
])("%s", (_, said, attention) => {
  expect(attentionOf(said)).toBe(attention);
});

test("the worse health is the one to be looked at", () => {
  expect(worseOf("Healthy", "Degraded")).toBe("Degraded");
  expect(worseOf("Missing", "Progressing")).toBe("Missing");
  expect(worseOf(undefined, "Healthy")).toBe("Healthy");
  expect(worseOf(undefined, undefined)).toBeUndefined();
});

test("kinds of two groups are told apart", () => {
  expect(kindOf({ group: "", kind: "Service" })).toBe("Service");
  expect(kindOf({ group: "serving.knative.dev", kind: "Service" })).toBe("Service.serving.knative.dev");
});

test("objects hang from what they belong to, whatever the order they come in", () => {
  const tree = grown(ROOT, [
    object("Pod/web-1", ["ReplicaSet/web"]),
    object("ReplicaSet/web", ["Deployment/web"]),
    object("Deployment/web"),
    object("ConfigMap/web"),
  ]);
  expect(drawn(tree)).toEqual({
    "Application/shop": [{ "Deployment/web": [{ "ReplicaSet/web": ["Pod/web-1"] }] }, "ConfigMap/web"],
  });
  expect(tree.size).toBe(5);
});

test("a parent that is not there does not hide its child", () => {
  expect(drawn(grown(ROOT, [object("Pod/lost", ["Node/gone"])]))).toEqual({ "Application/shop": ["Pod/lost"] });
});

test("of several parents the first that is there is taken", () => {
  const tree = grown(ROOT, [object("Claim/db"), object("Secret/db", ["Gone/x", "Claim/db"])]);
  expect(drawn(tree)).toEqual({ "Application/shop": [{ "Claim/db": ["Secret/db"] }] });
});

test("objects that own each other are all there, once", () => {
  const tree = grown(ROOT, [
    object("A/a", ["B/b"]),
    object("B/b", ["C/c"]),
    object("C/c", ["A/a"]),
    object("D/d", ["D/d"]),
  ]);
  expect(keys(tree).sort()).toEqual(["A/a", "Application/shop", "B/b", "C/c", "D/d"]);
});

test("an object that is told twice is there once", () => {
  expect(grown(ROOT, [object("A/a"), object("A/a")]).size).toBe(2);
});

test("a chain of ten thousand is no trouble", () => {
  const chain = Array.from({ length: 10_000 }, (_, step) => object(`A/${step}`, step > 0 ? [`A/${step - 1}`] : []));
  expect(grown(ROOT, chain.reverse()).size).toBe(10_001);
});

test("trouble is known all the way up, and nowhere else", () => {
  const tree = grown(ROOT, [
    object("Deployment/web"),
    object("Pod/web", ["Deployment/web"], { health: "Degraded" }),
    object("Deployment/api", [], { health: "Healthy" }),
  ]);
  expect(tree.children.map((branch) => [branch.attention, branch.worst])).toEqual([
    [5, "Degraded"],
    [0, "Healthy"],
  ]);
  expect([tree.attention, tree.worst]).toEqual([5, "Degraded"]);
});

const SHOP = grown(ROOT, [
  object("Deployment/web", [], { group: "apps" }),
  object("Pod/web-1", ["Deployment/web"], { health: "Healthy" }),
  object("Pod/web-2", ["Deployment/web"], { health: "Degraded" }),
  object("Deployment/api", [], { group: "apps" }),
  object("Pod/api-1", ["Deployment/api"], { health: "Healthy", namespace: "back" }),
]);

test.each([
  ["a name keeps the way to it", { text: "web-1" }, ["Application/shop", "Deployment/web", "Pod/web-1"]],
  ["words all have to fit", { text: "pod WEB" }, ["Application/shop", "Deployment/web", "Pod/web-1", "Pod/web-2"]],
  ["a namespace is a word too", { text: "back" }, ["Application/shop", "Deployment/api", "Pod/api-1"]],
  [
    "a kind leaves out what is below it",
    { kinds: ["Deployment"] },
    ["Application/shop", "Deployment/web", "Deployment/api"],
  ],
  [
    "health keeps only those that are so",
    { health: ["Degraded"] },
    ["Application/shop", "Deployment/web", "Pod/web-2"],
  ],
  ["filters hold together", { kinds: ["Pod"], text: "api" }, ["Application/shop", "Deployment/api", "Pod/api-1"]],
  ["what nothing fits leaves the root", { text: "nope" }, ["Application/shop"]],
])("%s", (_, filter, expected) => {
  expect(keys(filtered(SHOP, filter))).toEqual(expected);
});

test("no filter changes nothing", () => {
  expect(filtered(SHOP, { kinds: [], health: [], text: "  " })).toBe(SHOP);
  expect(isFiltering({ text: "x" })).toBe(true);
});

test("what is on the way is told from what was found, and what was found is opened", () => {
  const [web] = filtered(SHOP, { text: "web-1" }).children;
  expect([web?.matched, web?.children[0]?.matched, web?.attention, web?.size]).toEqual([false, true, 1, 2]);
  expect(SHOP.children[0]?.size).toBe(3);
});

test("the cause is the deepest of what is worst, and one that says why", () => {
  const tree = grown(ROOT, [
    object("Claim/db", [], { health: "Degraded", message: "waits" }),
    object("XR/db", ["Claim/db"], { health: "Degraded" }),
    object("Bucket/a", ["XR/db"], { health: "Degraded" }),
    object("Bucket/b", ["XR/db"], { health: "Degraded", message: "no such zone" }),
    object("Deployment/web", [], { health: "Progressing" }),
  ]);
  expect(rootCause(tree)?.key).toBe("Bucket/b");
  expect(rootCause(tree, "Progressing")?.key).toBe("Deployment/web");
  expect(rootCause(tree, "Missing")).toBeUndefined();
});

test("where all is well, or only the root is ill, there is no cause to name", () => {
  expect(rootCause(grown(ROOT, [object("A/a", [], { health: "Healthy" })]))).toBeUndefined();
  expect(rootCause(grown({ ...ROOT, health: "Degraded" }, [object("A/a")]))).toBeUndefined();
});
