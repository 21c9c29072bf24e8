import { expect, test } from "vitest";
import { treeOf } from "@/features/topology/model/tree";
import type { WireNode } from "@/features/topology/model/wire";
import { told } from "./conditions";
import { sentence } from "./sentence";
import { fine, kindCounts } from "./summary";
import { duration, releases, timeline, wantedRevision } from "./timeline";
import { tagOf, versionOf } from "./version";
import type { WholeApplication } from "./wire";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const before = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const SHA = "0123456789012345678901234567890123456789";

type Status = NonNullable<WholeApplication["status"]>;
const app = (status: Status = {}, rest: Partial<WholeApplication> = {}): WholeApplication => ({
  metadata: { name: "shop", namespace: "argocd" },
  spec: { source: { repoURL: "https://git/shop.git", path: "prod" }, syncPolicy: { automated: {} } },
  status,
  ...rest,
});
const LIVE: Status = {
  history: [{ id: 1, revision: SHA, deployedAt: before(12), deployStartedAt: before(13) }],
  summary: { images: ["registry:5000/shop/web:v1.4.2", "registry:5000/shop/api:v1.4.2"] },
  sync: { status: "Synced", revision: SHA },
  health: { status: "Healthy", lastTransitionTime: before(11) },
};
const pod = (name: string, reason: string, health: string): WireNode => ({
  version: "v1",
  kind: "Pod",
  namespace: "shop",
  name,
  health: { status: health },
  info: [{ name: "Status Reason", value: reason }],
});
const crashing = [
  pod("a", "CrashLoopBackOff", "Degraded"),
  pod("b", "Running", "Healthy"),
  pod("c", "Running", "Healthy"),
];
const ILL: Status = { ...LIVE, health: { status: "Degraded", lastTransitionTime: before(8) } };

test.each<[why: string, application: WholeApplication, nodes: WireNode[] | undefined, expected: string]>([
  ["all is well", app(LIVE), [], "v1.4.2 live 12 min ago; all is well"],
  ["one pod crashes", app(ILL), crashing, "v1.4.2 live 12 min ago; 1 of 3 pods crash-loops since 8 min"],
  [
    "several pods cannot pull",
    app(ILL),
    [pod("a", "ImagePullBackOff", "Degraded"), pod("b", "ErrImagePull", "Degraded"), pod("c", "OOMKilled", "Degraded")],
    "v1.4.2 live 12 min ago; 2 of 3 pods cannot pull their image since 8 min",
  ],
  [
    "a job's pod that is done does not count",
    app(ILL),
    [...crashing, pod("j", "Completed", "Healthy")],
    "v1.4.2 live 12 min ago; 1 of 3 pods crash-loops since 8 min",
  ],
  [
    "a reason that nobody knows",
    app(ILL),
    [pod("a", "Odd", "Degraded")],
    "v1.4.2 live 12 min ago; 1 of 1 pod is degraded since 8 min",
  ],
  [
    "the cloud says no: the deepest that says why is quoted",
    app(ILL),
    [
      { group: "x.org", kind: "Claim", name: "db", health: { status: "Degraded", message: "waits" } },
      {
        group: "rds.aws.upbound.io",
        kind: "Instance",
        name: "db-1",
        parentRefs: [{ group: "x.org", kind: "Claim", name: "db" }],
        health: { status: "Degraded", message: "InvalidSubnet: no such subnet\nat length" },
      },
    ],
    "v1.4.2 live 12 min ago; Instance db-1 is degraded since 8 min: InvalidSubnet: no such subnet",
  ],
  [
    "no tree could be read",
    app({ ...ILL, health: { status: "Degraded", message: "pods fail" } }),
    undefined,
    "v1.4.2 live 12 min ago; something in it is degraded: pods fail",
  ],
  ["nothing was deployed", app({}), undefined, "Nothing was deployed yet"],
  [
    "a first sync runs",
    app({
      operationState: { phase: "Running", startedAt: before(2), syncResult: { revision: SHA } },
      health: { status: "Missing" },
    }),
    undefined,
    "0123456 is being rolled out since 2 min; something that Git asks for is missing",
  ],
  [
    "a sync failed, and the old one is still live",
    app({
      ...LIVE,
      operationState: {
        phase: "Failed",
        finishedAt: before(3),
        message: "hook failed\nmore",
        syncResult: { revision: SHA },
      },
    }),
    [],
    "v1.4.2 live 12 min ago; the sync to 0123456 failed 3 min ago: hook failed; all is well",
  ],
  [
    "a sync is being stopped",
    app({ ...LIVE, operationState: { phase: "Terminating" } }),
    [],
    "v1.4.2 live 12 min ago; the sync is being stopped; all is well",
  ],
  [
    "it differs and nobody syncs it",
    app(
      { ...LIVE, sync: { status: "OutOfSync" }, resources: [{ status: "OutOfSync" }, { status: "Synced" }] },
      { spec: {} },
    ),
    [],
    "v1.4.2 live 12 min ago; all is well; 1 object differs from Git and waits for a sync",
  ],
  [
    "it differs and is synced by itself",
    app({ ...LIVE, sync: { status: "OutOfSync" }, resources: [{ status: "OutOfSync" }, { status: "OutOfSync" }] }),
    [],
    "v1.4.2 live 12 min ago; all is well; 2 objects differ from Git",
  ],
  [
    "something waits for somebody, whatever else is not there yet",
    app({ ...LIVE, health: { status: "Suspended" } }),
    [
      {
        group: "infra.contrib.fluxcd.io",
        kind: "Terraform",
        name: "net",
        health: { status: "Suspended", message: "1 approval missing" },
      },
      { kind: "Secret", name: "out", health: { status: "Missing" } },
    ],
    "v1.4.2 live 12 min ago; Terraform net is suspended: 1 approval missing",
  ],
  [
    "what is long is cut between sentences",
    app({
      ...LIVE,
      health: { status: "Suspended", message: `It waits. One approval is missing. Run ${"x ".repeat(99)}` },
    }),
    [],
    "v1.4.2 live 12 min ago; it is suspended: It waits. One approval is missing",
  ],
  [
    "or between words",
    app({ ...LIVE, health: { status: "Suspended", message: "word ".repeat(40) } }),
    [],
    `v1.4.2 live 12 min ago; it is suspended: ${"word ".repeat(28)}…`,
  ],
  ["it is suspended", app({ ...LIVE, health: { status: "Suspended" } }), [], "v1.4.2 live 12 min ago; it is suspended"],
  [
    "it gets ready",
    app({ ...LIVE, health: { status: "Progressing" } }),
    [],
    "v1.4.2 live 12 min ago; it is not ready yet",
  ],
  [
    "nobody knows",
    app({ ...LIVE, health: { status: "Unknown" } }),
    [],
    "v1.4.2 live 12 min ago; how it fares is unknown",
  ],
  [
    "it is being deleted",
    app(LIVE, { metadata: { name: "shop", deletionTimestamp: before(3) } }),
    crashing,
    "shop is being deleted since 3 min; 3 objects still there",
  ],
])("one sentence says how it is: %s", (_, application, nodes, expected) => {
  expect(sentence(application, nodes && treeOf(application, { nodes }), NOW)).toBe(expected);
});

test.each([
  ["shop/web:v1.4.2", "v1.4.2"],
  ["registry:5000/shop/web", ""],
  ["registry:5000/shop/web:2.0@sha256:abc", "2.0"],
  ["web@sha256:abc", ""],
])("the tag of %s is %j", (image, tag) => {
  expect(tagOf(image)).toBe(tag);
});

test.each<[why: string, application: WholeApplication, version: string]>([
  ["images agree", app(LIVE), "v1.4.2"],
  ["images differ: the commit", app({ ...LIVE, summary: { images: ["a:v1.0.0", "b:v2.0.0"] } }), "0123456"],
  ["tags that are no versions do not count", app({ ...LIVE, summary: { images: ["a:latest", "b:v2.0.0"] } }), "v2.0.0"],
  [
    "a chart has its own",
    app({ history: [{ revision: "9.1.0" }] }, { spec: { source: { chart: "redis" } } }),
    "redis 9.1.0",
  ],
  ["several sources: the first", app({ history: [{ revisions: [SHA, "1.0"] }] }), "0123456"],
  ["nothing is known", app({}), ""],
])("a release is called as people call it: %s", (_, application, version) => {
  expect(versionOf(application)).toBe(version);
});

test("the timeline tells a change that went well", () => {
  const operationState = {
    phase: "Succeeded",
    startedAt: before(13),
    finishedAt: before(12),
    operation: { initiatedBy: { username: "ada" } },
  };
  const commit = { author: "Ada <ada@x>", date: before(20), message: "Raise the limit\n\nBecause." };
  expect(timeline(app({ ...LIVE, operationState }), commit)).toEqual([
    { step: "Change", title: "0123456 · Raise the limit", detail: "by Ada", at: before(20), state: "done" },
    { step: "Rollout", title: "Rolled out in 60 s", detail: "by ada", at: before(12), state: "done" },
    { step: "Health", title: "Healthy", detail: "", at: before(11), state: "done" },
  ]);
});

test.each<[why: string, status: Status, spec: object, expected: [title: string, state: string, detail: string]]>([
  [
    "it fails and says why",
    { operationState: { phase: "Error", message: "no", operation: { initiatedBy: { automated: true } } } },
    {},
    ["The sync failed", "failed", "by auto-sync · no"],
  ],
  [
    "it runs",
    { operationState: { phase: "Running", message: "wave 2" } },
    {},
    ["Being rolled out", "running", "wave 2"],
  ],
  [
    "it waits for somebody",
    { sync: { status: "OutOfSync" }, operationState: { phase: "Succeeded" } },
    {},
    ["Not rolled out", "waiting", "Somebody has to sync it: auto-sync is off"],
  ],
  [
    "it waits for auto-sync",
    { sync: { status: "OutOfSync" } },
    { syncPolicy: { automated: {} } },
    ["Not rolled out", "waiting", "It is synced by itself"],
  ],
  ["it never ran", {}, {}, ["Nothing was rolled out yet", "waiting", ""]],
])("the rollout says how far it is: %s", (_, status, spec, expected) => {
  const [, rollout] = timeline(app(status, { spec }), undefined);
  expect([rollout?.title, rollout?.state, rollout?.detail]).toEqual(expected);
});

test("the change is the one being rolled out, or the one compared with", () => {
  const operationState = { phase: "Running", syncResult: { revision: "new" } };
  expect(wantedRevision(app({ sync: { revision: "old" }, operationState }))).toBe("new");
  expect(wantedRevision(app({ sync: { revisions: ["a", "b"] } }))).toBe("a");
  expect(timeline(app({}), undefined)[0]).toMatchObject({ title: "Git was not read yet", state: "waiting" });
});

test("durations are short, and empty where an end is unknown", () => {
  expect(duration(before(10), before(9))).toBe("60 s");
  expect(duration(before(10), before(5))).toBe("5 min");
  expect(duration(before(600), before(0))).toBe("10 h");
  expect([duration("", before(0)), duration(before(0), before(5))]).toEqual(["", ""]);
});

test("releases come the newest first, and not all of them", () => {
  const history = [1, 2, 3].map((id) => ({ id, revision: `r${id}`, deployedAt: before(id) }));
  expect(releases(history, 2).map((each) => each.revision)).toEqual(["r3", "r2"]);
});

test("conditions are told in words with a way out, errors first", () => {
  const [first, second, third] = told(
    [
      { type: "SharedResourceWarning", message: "both" },
      { type: "ComparisonError", message: "no chart" },
      { type: "OddNewWarning" },
    ],
    "shop",
  );
  expect(first).toMatchObject({
    bad: true,
    title: "Git and the cluster could not be compared",
    command: "plumb app manifests shop",
  });
  expect(second).toMatchObject({ bad: false, advice: expect.stringContaining("Leave them to one of the two") });
  expect(third).toMatchObject({ title: "Odd new warning", command: "plumb why application/shop" });
  expect(told([{}], "shop")[0]?.title).toBe("Something is wrong");
});

test("kinds are counted, those with trouble first", () => {
  const tree = treeOf(app(), {
    nodes: [
      ...crashing,
      ...["x", "y"].map((name) => ({ kind: "ConfigMap", name })),
      { kind: "Service", name: "s", health: { status: "Healthy" } },
    ],
  });
  expect(kindCounts(tree)).toEqual([
    {
      kind: "Pod",
      count: 3,
      healths: [
        ["Degraded", 1],
        ["Healthy", 2],
      ],
      outOfSync: 0,
    },
    { kind: "Service", count: 1, healths: [["Healthy", 1]], outOfSync: 0 },
    { kind: "ConfigMap", count: 2, healths: [], outOfSync: 0 },
  ]);
  expect(kindCounts(tree).map(fine)).toEqual([false, true, true]);
});
