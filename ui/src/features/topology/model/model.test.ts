import { expect, test } from "vitest";
import type { Application } from "@/features/applications/model/wire";
import { type Branch, everyBranch, grown } from "@/graph/forest";
import { sight } from "@/graph/sight";
import { asKubectl, asPlumb, whyCommand } from "./commands";
import { latestFirst } from "./events";
import { type Friction, weighAction, weighDeletion } from "./friction";
import { isInfrastructure, isStateful } from "./kinds";
import { conditionsOf, labelsOf, withoutManagers } from "./manifest";
import { addressOf, BARE, drawerId, type Resource, refKey } from "./resource";
import { searchOf, toggled, written } from "./search";
import { treeOf } from "./tree";
import { detailOf, titleOf, unseenOf } from "./words";

const APP: Application = {
  metadata: { name: "shop", namespace: "argocd" },
  status: {
    health: { status: "Degraded" },
    sync: { status: "OutOfSync" },
    resources: [{ group: "apps", kind: "Deployment", namespace: "shop", name: "web", status: "OutOfSync" }],
  },
};

test("the tree joins what the cluster has with what Git asks for", () => {
  const tree = treeOf(APP, {
    nodes: [
      {
        group: "apps",
        version: "v1",
        kind: "Deployment",
        namespace: "shop",
        name: "web",
        health: { status: "Healthy" },
      },
      {
        version: "v1",
        kind: "Pod",
        namespace: "shop",
        name: "web-1",
        uid: "u1",
        parentRefs: [{ group: "apps", kind: "Deployment", namespace: "shop", name: "web" }],
        health: { status: "Odd", message: "who knows" },
        info: [{ name: "Containers", value: "0/1" }, { name: "Node" }],
        networkingInfo: { externalURLs: ["https://shop.example", "javascript:alert(1)"] },
      },
    ],
    orphanedNodes: [{ version: "v1", kind: "ConfigMap", namespace: "shop", name: "left" }],
  });
  const [root, web, left, pod] = everyBranch(tree).map((branch) => branch.object);
  expect(root).toMatchObject({ kind: "Application", health: "Degraded", sync: "OutOfSync" });
  expect(web).toMatchObject({ key: "apps/Deployment/shop/web", sync: "OutOfSync", health: "Healthy" });
  expect(left).toMatchObject({ orphaned: true, health: undefined });
  expect(pod).toMatchObject({
    health: "Unknown",
    message: "who knows",
    facts: [["Containers", "0/1"]],
    urls: ["https://shop.example"],
  });
  expect(treeOf({ metadata: { name: "x" } }, { nodes: null }).size).toBe(1);
});

test("kinds that could not be listed are named with the reason", () => {
  expect(unseenOf({ nodes: [] })).toBe("");
  expect(unseenOf({ unseen: [{ kind: "Pod", namespace: "shop", why: "pods is forbidden" }] })).toBe(
    "Pod could not be listed: pods is forbidden",
  );
  const both = [
    { kind: "Pod", why: "no" },
    { kind: "Pod", namespace: "b", why: "no" },
    { kind: "Job", why: "never" },
  ];
  expect(unseenOf({ unseen: both })).toBe("Pod and 1 more could not be listed: no");
});

test("what could not be read is in the tree with the reason below its name", () => {
  const tree = treeOf(
    { metadata: { name: "shop" } },
    {
      nodes: [
        {
          group: "example.org",
          version: "v1",
          kind: "Instance",
          name: "db",
          health: { status: "Unknown", message: "It cannot be read: instances is forbidden" },
        },
      ],
    },
  );
  const [, unread] = everyBranch(tree).map((branch) => branch.object);
  expect(unread).toMatchObject({ health: "Unknown", uid: "" });
  expect(unread && detailOf(unread)).toBe("Instance · It cannot be read: instances is forbidden");
  expect(tree.worst).toBe("Unknown");
});

test.each([
  ["a claim's managed resource", { group: "s3.aws.upbound.io" }, true],
  ["Terraform", { group: "infra.contrib.fluxcd.io" }, true],
  ["a sealed secret", { group: "bitnami.com" }, true],
  ["a claim of one's own group, by what it says", { group: "platform.acme.org", info: [{ name: "Ready" }] }, true],
  ["a Deployment", { group: "apps" }, false],
  ["somebody who only sounds alike", { group: "notbitnami.com" }, false],
])("%s is told from what only lives in the cluster", (_, said, expected) => {
  expect(isInfrastructure(said)).toBe(expected);
});

test("an address names an object and back, empty parts included", () => {
  const named = { group: "", version: "v1", kind: "Namespace", namespace: "", name: "system:shop" };
  const id = drawerId("argocd", "shop", named);
  expect(addressOf(id)).toEqual({ appNamespace: "argocd", app: "shop", ...named });
  for (const bad of ["", "a/b", "argocd//g/v1/Pod/ns/x", "argocd/shop/g/v1//ns/x", "argocd/shop/g/v1/Pod/ns/x/more"]) {
    expect(addressOf(bad)).toBeUndefined();
  }
});

test("commands name the very object, whatever characters it has", () => {
  const web = { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" };
  expect(asKubectl(web)).toBe("kubectl get -n shop Deployment.v1.apps/web -o yaml");
  expect(asPlumb(web)).toBe("plumb get Deployment/web -n shop -o yaml");
  expect(whyCommand({ ...web, namespace: "" })).toBe("plumb why Deployment/web");
  const odd = { group: "", version: "v1", kind: "Pod", namespace: "shop", name: "a b;rm" };
  expect(asKubectl(odd)).toBe("kubectl get -n shop 'Pod/a b;rm' -o yaml");
});

test("what the address says is checked, and what is as usual is not written", () => {
  expect(searchOf({})).toEqual({ view: "graph", kinds: [], health: [], text: "", opened: [], shut: [] });
  expect(searchOf({ view: "outline", kind: "Pod", health: ["Degraded", 3], q: 7, open: { a: 1 } })).toEqual({
    view: "outline",
    kinds: ["Pod"],
    health: ["Degraded"],
    text: "",
    opened: [],
    shut: [],
  });
  expect(searchOf({ open: Array.from({ length: 99 }, String) }).opened).toHaveLength(40);
  expect(written({ view: "graph", kinds: [], text: "" })).toEqual({ view: undefined, kind: undefined, q: undefined });
  expect(written({ view: "outline", health: ["Missing"], opened: ["a"], shut: [] })).toEqual({
    view: "outline",
    health: ["Missing"],
    open: ["a"],
    shut: undefined,
  });
});

test("what is opened is no longer shut, and the other way round", () => {
  expect(toggled({ opened: [], shut: ["a", "b"] }, "a", true)).toEqual({ opened: ["a"], shut: ["b"] });
  expect(toggled({ opened: ["a"], shut: [] }, "a", false)).toEqual({ opened: [], shut: ["a"] });
});

const resource = (kind: string, name: string, said: Partial<Resource> = {}): Resource => {
  const named = { group: "", kind, namespace: "shop", name };
  return { ...BARE, ...named, key: refKey(named), health: undefined, sync: undefined, ...said };
};
const alone = (object: Resource, below: Resource[] = []): Branch<Resource> =>
  grown(
    object,
    below.map((each) => ({ ...each, parents: [object.key] })),
  );
const pods = (count: number) => Array.from({ length: count }, (_, step) => resource("Pod", `p${step}`));

test.each<[why: string, branch: Branch<Resource>, friction: Friction, effect: RegExp]>([
  [
    "a pod that comes back can be taken back",
    alone(resource("Pod", "p", { parents: ["x"] })),
    "undo",
    /starts another/,
  ],
  ["a pod of its own is asked about", alone(resource("Pod", "p")), "confirm", /Pod p is deleted\.$/],
  ["what Git has comes back with a sync", alone(resource("Service", "s", { sync: "Synced" })), "confirm", /next sync/],
  [
    "an owner may make it again",
    alone(resource("ReplicaSet", "r", { parents: ["x"] }), pods(1)),
    "confirm",
    /1 object\. Its owner/,
  ],
  ["a few go along", alone(resource("Deployment", "d"), pods(3)), "confirm", /with 3 objects/],
  ["many go along", alone(resource("Deployment", "d"), pods(11)), "type", /with 11 objects/],
  ["a volume is typed", alone(resource("PersistentVolumeClaim", "v")), "type", /cannot be made again/],
  ["a namespace is typed", alone(resource("Namespace", "n")), "type", /cannot be made again/],
  [
    "what holds a volume is typed",
    alone(resource("Thing", "t"), [resource("PersistentVolumeClaim", "v")]),
    "type",
    /cannot/,
  ],
  ["what is in the cloud is typed", alone(resource("Bucket", "b", { infrastructure: true })), "type", /cannot/],
])("friction grows with what is lost: %s", (_, branch, friction, effect) => {
  const weighed = weighDeletion(branch);
  expect(weighed.friction).toBe(friction);
  expect(weighed.effect).toMatch(effect);
});

test("what is precious is named first among what goes along", () => {
  const branch = alone(resource("Thing", "t"), [...pods(2), resource("PersistentVolumeClaim", "v")]);
  expect(weighDeletion(branch).losses.map((each) => each.name)).toEqual(["v", "p0", "p1"]);
  expect(isStateful("Deployment")).toBe(false);
});

test.each<[action: string, branch: Branch<Resource>, friction: Friction, effect: RegExp]>([
  ["resume", alone(resource("Deployment", "d")), "none", /resume/],
  ["restart", alone(resource("Deployment", "d"), pods(2)), "confirm", /runs 2 pods/],
  ["restart", alone(resource("Deployment", "d"), pods(1)), "confirm", /which runs 1 pod\.$/],
  ["restart", alone(resource("StatefulSet", "s")), "type", /^“restart” for StatefulSet s\.$/],
])("%s of %# is weighed by what it touches", (action, branch, friction, effect) => {
  expect(weighAction(action, branch)).toMatchObject({ friction, effect: expect.stringMatching(effect) });
});

test("things are called by what they are", () => {
  const web = resource("Deployment", "web", { health: "Degraded", message: "too few" });
  const maps = Array.from({ length: 9 }, (_, step) => resource("ConfigMap", `c${step}`));
  const seen = sight(alone(resource("Application", "shop"), [web, ...maps]));
  expect(seen.children.map(titleOf)).toEqual(["web", "9 × ConfigMap"]);
  expect(detailOf(web)).toBe("Deployment · too few");
  expect(detailOf({ ...web, health: "Healthy" })).toBe("Deployment");
});

test("events come latest first, and odd ones do no harm", () => {
  const found = latestFirst([
    { type: "Normal", reason: "Pulled", lastTimestamp: "2026-01-01T00:00:00Z", source: { component: "kubelet" } },
    { type: "Warning", reason: "BackOff", lastTimestamp: "2026-01-02T00:00:00Z", count: 7, metadata: { uid: "u" } },
    {},
  ]);
  expect(found.map((each) => [each.reason, each.warning, each.count])).toEqual([
    ["BackOff", true, 7],
    ["Pulled", false, 1],
    ["Event", false, 1],
  ]);
});

test("an object tells its conditions and labels; who wrote what is left out", () => {
  const manifest = {
    metadata: { name: "a", labels: { app: "web" }, managedFields: [{}] },
    status: { conditions: [{ type: "Ready", status: "False", reason: "Wait" }, null] },
  };
  expect(withoutManagers(manifest).metadata).toEqual({ name: "a", labels: { app: "web" } });
  expect(conditionsOf(manifest)[0]).toEqual({ type: "Ready", status: "False", reason: "Wait", message: "", since: "" });
  expect(labelsOf(manifest)).toEqual([["app", "web"]]);
  expect([conditionsOf(undefined), conditionsOf({ status: { conditions: "x" } }), labelsOf({})]).toEqual([[], [], []]);
});
