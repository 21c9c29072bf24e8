import { describe, expect, test } from "vitest";
import { automatic, autoSyncPatch, NOTE, noteOf, type OneApplication, underWay } from "./application";
import { deletionCommand, deletionQuery } from "./deletion";
import { frictionOf, overcome } from "./friction";
import { idOf, namedBy } from "./named";
import { NO_CHOICE, optionsFor, syncBody, syncCommand } from "./options";
import { changes, countsText, type Plan, type PlanRow, samePlan } from "./plan";
import { lanesOf, operationSentence } from "./progress";

const row = (verb: string, name: string, more: Partial<PlanRow> = {}): PlanRow => ({
  kind: "ConfigMap",
  namespace: "shop",
  name,
  verb,
  phase: "Sync",
  wave: 0,
  ...more,
});

function planOf(rows: PlanRow[]): Plan {
  const counts: Record<string, number> = {};
  for (const { verb } of rows) counts[verb] = (counts[verb] ?? 0) + 1;
  return {
    revisions: ["a"],
    counts,
    risky: rows.filter((each) => each.risk),
    waves: [{ phase: "Sync", wave: 0, counts, rows }],
  };
}

describe("friction grows with what can be lost", () => {
  const lost = { risk: "the object" };
  const pruned = (count: number) => Array.from({ length: count }, (_, place) => row("prune", `old-${place}`, lost));
  test.each([
    [[row("create", "a")], { prune: false, force: false }, "none", "nothing goes"],
    [[row("update", "a"), ...pruned(2)], { prune: true, force: false }, "tick", "a few objects"],
    [[row("update", "a"), ...pruned(11)], { prune: true, force: false }, "type", "many objects"],
    [pruned(1), { prune: true, force: false }, "type", "everything, be it one object"],
    [
      [row("update", "a"), row("prune", "db", { kind: "PersistentVolumeClaim", risk: "a volume" })],
      { prune: true, force: false },
      "type",
      "a volume",
    ],
    [
      [row("recreate", "a", { risk: "the object, until it is made again" })],
      { prune: false, force: false },
      "tick",
      "a moment without it",
    ],
    [[row("update", "a")], { prune: false, force: true }, "tick", "force may delete"],
  ] as const)("%#: %j", (rows, options, step, _why) => {
    expect(frictionOf(planOf([...rows]), options).step).toBe(step);
  });

  test("is overcome by what it asks for and by nothing else", () => {
    const type = { step: "type", sentence: "" } as const;
    expect(overcome(type, { ticked: true, typed: "sho" }, "shop")).toBe(false);
    expect(overcome(type, { ticked: false, typed: "shop " }, "shop")).toBe(true);
    expect(overcome({ step: "tick", sentence: "" }, { ticked: false, typed: "shop" }, "shop")).toBe(false);
    expect(overcome({ step: "none" }, { ticked: false, typed: "" }, "shop")).toBe(true);
  });
});

describe("plans", () => {
  test("are told in words", () => {
    expect(countsText({ unchanged: 1200, create: 1, prune: 2 })).toBe("1 created, 2 pruned, 1,200 unchanged");
    expect(changes(planOf([row("unchanged", "a"), row("keep", "b")]))).toBe(false);
    expect(changes(planOf([row("hook", "a")]))).toBe(true);
  });
  test("are the same if they do the same", () => {
    expect(samePlan(planOf([row("create", "a")]), planOf([row("create", "a")]))).toBe(true);
    expect(samePlan(planOf([row("create", "a")]), planOf([row("create", "b")]))).toBe(false);
    expect(samePlan(planOf([]), { ...planOf([]), revisions: ["b"] })).toBe(false);
  });
});

describe("what is asked for", () => {
  test("options of this sync stand in place of the application's of the same name", () => {
    expect(optionsFor(["CreateNamespace=true", "Validate=true"], ["Validate=false"])).toEqual([
      "CreateNamespace=true",
      "Validate=false",
    ]);
    expect(optionsFor(["CreateNamespace=true"], [])).toBeUndefined();
  });
  test("only what was chosen is said", () => {
    expect(syncBody(NO_CHOICE, ["CreateNamespace=true"], [])).toEqual({
      prune: false,
      dryRun: false,
      strategy: { hook: {} },
    });
    const choice = {
      ...NO_CHOICE,
      prune: true,
      force: true,
      skipHooks: true,
      revision: "v2",
      note: " hot fix ",
      options: ["Replace=true"],
    };
    expect(syncBody(choice, [], [{ kind: "Service", name: "web" }])).toEqual({
      prune: true,
      dryRun: false,
      strategy: { apply: { force: true } },
      revision: "v2",
      syncOptions: { items: ["Replace=true"] },
      infos: [{ name: "note", value: "hot fix" }],
      resources: [{ group: "", kind: "Service", namespace: "", name: "web" }],
    });
    expect(syncCommand("shop", choice, [{ kind: "Service", namespace: "shop", name: "web" }])).toBe(
      "plumb app sync shop --prune --force --strategy apply --revision v2 --replace --resource :Service:shop/web --info 'note=hot fix'",
    );
    expect(syncCommand("shop", { ...NO_CHOICE, options: ["Validate=false"] }, [])).toBeUndefined();
  });
  test("deletions say what becomes of the objects", () => {
    expect(deletionQuery("orphan")).toEqual({ cascade: false });
    expect(deletionQuery("background")).toEqual({ cascade: true, propagationPolicy: "background" });
    expect(deletionCommand("shop", "orphan")).toBe("plumb app delete shop --no-cascade");
    expect(deletionCommand("shop", "foreground")).toBe("plumb app delete shop --propagation-policy foreground");
  });
  test("drawers are addressed by both names", () => expect(idOf(namedBy("argocd/shop"))).toBe("argocd/shop"));
});

describe("progress", () => {
  const plan = planOf([row("create", "a"), row("update", "b"), row("keep", "c")]);
  test("each wave knows how much of it is done", () => {
    const resources = [
      { kind: "ConfigMap", namespace: "shop", name: "a", status: "Synced", syncPhase: "Sync" },
      { kind: "Job", namespace: "shop", name: "migrate", hookPhase: "Failed", syncPhase: "PreSync", message: "no" },
    ];
    const [wave, other] = lanesOf({ phase: "Running", syncResult: { resources } }, plan);
    expect(wave).toMatchObject({ title: "Sync · wave 0", done: 1, total: 2, state: "running" });
    expect(wave?.rows.map((each) => each.state)).toEqual(["waiting", "done"]);
    expect(other).toMatchObject({ title: "PreSync · not in the plan", state: "failed" });
  });
  test("when all is over, nothing still runs", () => {
    const resources = [
      { kind: "ConfigMap", namespace: "shop", name: "a", status: "Synced", hookPhase: "Running", syncPhase: "Sync" },
    ];
    const [wave] = lanesOf(
      { phase: "Succeeded", syncResult: { resources } },
      planOf([row("create", "a"), row("unchanged", "b")]),
    );
    expect(wave).toMatchObject({ done: 2, total: 2, state: "done" });
  });
  test("without a plan there are phases", () => {
    const resources = [{ kind: "Job", name: "x", hookPhase: "Running", syncPhase: "PostSync" }];
    expect(lanesOf({ syncResult: { resources } }, undefined)).toMatchObject([
      { title: "PostSync", state: "running", done: 0 },
    ]);
    expect(lanesOf({}, undefined)).toEqual([]);
  });
  test.each([
    [{ phase: "Running", message: "waiting for a" }, "The sync is under way: waiting for a"],
    [{ phase: "Failed", message: "no", retryCount: 2 }, "The sync failed (tried again 2 times): no"],
    [{ phase: "Succeeded", operation: { sync: { dryRun: true } } }, "The dry run succeeded"],
    [{ phase: "Terminating" }, "The sync is being ended"],
    [{}, "The sync is about to begin"],
  ])("%j", (state, sentence) => expect(operationSentence(state)).toBe(sentence));
});

describe("automated syncs", () => {
  const application = (automated: object | undefined, annotations = {}): OneApplication =>
    ({ metadata: { name: "shop", annotations }, spec: { syncPolicy: { automated } } }) as OneApplication;
  test.each([
    [undefined, false],
    [{}, true],
    [{ enabled: false, prune: true }, false],
    [{ enabled: true }, true],
  ])("%j is %s", (automated, on) => expect(automatic(application(automated))).toBe(on));
  test("keep why, by whom and when", () => {
    const note = { reason: "migration", by: "ada", at: "2026-01-01T00:00:00Z" };
    expect(autoSyncPatch(false, note)).toMatchObject({ spec: { syncPolicy: { automated: { enabled: false } } } });
    expect(noteOf(application({}, { [NOTE]: JSON.stringify(note) }))).toEqual(note);
    expect(noteOf(application({}, { [NOTE]: "x" }))).toBeUndefined();
    expect(noteOf(application({}))).toBeUndefined();
  });
  test("an operation that was asked for is under way", () => {
    expect(underWay({ ...application({}), operation: {} })).toBe(true);
    expect(underWay(application({}))).toBe(false);
  });
});
