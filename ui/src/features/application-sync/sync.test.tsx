import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";

type Shown = Omit<ReturnType<typeof application>, "status"> & { status: object };
let shown: Shown;
let plans: object[];
let asked: { method: string; url: URL; body: unknown }[];

const wave = (phase: string, number: number, rows: object[]) => ({ phase, wave: number, counts: {}, rows });
const object = (verb: string, name: string, more = {}) => ({
  kind: "ConfigMap",
  namespace: "shop",
  name,
  verb,
  phase: "Sync",
  wave: 0,
  ...more,
});
const PLAN = {
  revisions: ["0123456789"],
  counts: { create: 1, update: 1, prune: 1, unchanged: 2 },
  risky: [object("prune", "old", { risk: "the object" })],
  waves: [
    wave("Sync", 0, [
      object("create", "new"),
      object("unchanged", "same"),
      object("prune", "old", { risk: "the object" }),
    ]),
    wave("Sync", 1, [object("update", "web", { wave: 1 })]),
  ],
};

beforeEach(() => {
  shown = application("shop", { sync: "OutOfSync" }) as Shown;
  plans = [PLAN];
  asked = [];
  const keep = async (request: Request) => {
    const text = await request.text();
    asked.push({ method: request.method, url: new URL(request.url), body: text ? JSON.parse(text) : undefined });
  };
  server.use(
    http.get(api("applications/shop"), async ({ request }) => {
      if (new URL(request.url).searchParams.has("refresh")) await keep(request);
      return HttpResponse.json(shown);
    }),
    http.get(api("applications/shop/plan"), async ({ request }) => {
      await keep(request);
      return HttpResponse.json(plans.length > 1 ? plans.shift() : plans[0]);
    }),
    http.get(api("applications/shop/syncwindows"), () => HttpResponse.json({ canSync: true })),
    http.post(api("applications/shop/sync"), async ({ request }) => {
      await keep(request);
      return HttpResponse.json(shown);
    }),
    http.patch(api("applications/shop"), async ({ request }) => {
      await keep(request);
      return HttpResponse.json(shown);
    }),
    http.delete(api("applications/shop"), async ({ request }) => {
      await keep(request);
      return HttpResponse.json({});
    }),
    http.delete(api("applications/shop/operation"), async ({ request }) => {
      await keep(request);
      return HttpResponse.json({});
    }),
  );
});

const DRAWER = "/applications/argocd/shop?tab=resources&drawer=sync:argocd/shop&tab=sync";
const body = (method: string) => asked.findLast((each) => each.method === method)?.body;

test("the key opens the panel and syncs nothing", async () => {
  const { router } = openApp("/applications/argocd/shop?tab=resources");
  await screen.findByRole("region", { name: "Actions for shop" });
  await userEvent.setup().keyboard("s");
  await waitFor(() => expect(router.state.location.search).toMatchObject({ drawer: "sync:argocd/shop" }));
  expect(await screen.findByText(/1 created, 1 updated, 1 pruned, 2 unchanged/)).toBeVisible();
  expect(asked.every((each) => each.method === "GET")).toBe(true);
});

test("the plan is shown by waves with what can be lost on top", async () => {
  openApp(DRAWER);
  const panel = await screen.findByRole("dialog", { name: "Sync shop" });
  const risk = await within(panel).findByRole("region", { name: "At risk" });
  expect(risk).toHaveTextContent("ConfigMap shop/old: prune, and with it the object");
  const waves = within(within(panel).getByRole("list", { name: "Waves" }));
  expect(waves.getByText(/Sync · wave 1/)).toBeVisible();
  expect(waves.queryByText(/shop\/same/)).not.toBeInTheDocument();
  await userEvent.click(waves.getByRole("button", { name: "With 1 unchanged" }));
  expect(waves.getByRole("checkbox", { name: "Only ConfigMap shop/same" })).toBeVisible();
});

test("pruning has to be agreed to, and is then asked for with the note", async () => {
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  const person = userEvent.setup();
  await person.click(await panel.findByRole("checkbox", { name: /^Prune ?Deletes/ }));
  await waitFor(() => expect(asked.at(-1)?.url.searchParams.get("prune")).toBe("true"));
  const start = panel.getByRole("button", { name: "Sync" });
  expect(start).toBeDisabled();
  await person.type(panel.getByLabelText("Note, kept with the operation"), "tidy up");
  await person.click(await panel.findByRole("checkbox", { name: "Delete ConfigMap old." }));
  await waitFor(() => expect(start).toBeEnabled());
  await person.click(start);
  await waitFor(() =>
    expect(body("POST")).toEqual({
      prune: true,
      dryRun: false,
      strategy: { hook: {} },
      infos: [{ name: "note", value: "tidy up" }],
      appNamespace: "argocd",
    }),
  );
});

test("what holds something takes the name", async () => {
  plans = [{ ...PLAN, risky: [object("prune", "db", { kind: "PersistentVolumeClaim", risk: "a volume" })] }];
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  const field = await panel.findByLabelText("Type shop to go on");
  expect(panel.getByRole("button", { name: "Sync" })).toBeDisabled();
  await userEvent.type(field, "shop");
  expect(panel.getByRole("button", { name: "Sync" })).toBeEnabled();
});

test("what changed since somebody looked is shown and not begun", async () => {
  const calm = {
    revisions: ["a"],
    counts: { create: 1 },
    risky: [],
    waves: [wave("Sync", 0, [object("create", "new")])],
  };
  plans = [calm, { ...calm, revisions: ["b"] }];
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  await panel.findByText(/1 created/);
  await userEvent.click(panel.getByRole("button", { name: "Sync" }));
  expect(await panel.findByRole("alert")).toHaveTextContent("Something changed since you looked");
  expect(body("POST")).toBeUndefined();
});

test("only chosen objects are synced", async () => {
  plans = [{ ...PLAN, counts: { create: 1 }, risky: [] }];
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  await userEvent.click(await panel.findByRole("checkbox", { name: "Only ConfigMap shop/new" }));
  await userEvent.click(await panel.findByRole("button", { name: "Sync 1 of its objects" }));
  await waitFor(() => expect(body("POST")).toMatchObject({ resources: [{ kind: "ConfigMap", name: "new" }] }));
});

test("an operation is seen wave by wave, and can be ended", async () => {
  shown.status = {
    ...shown.status,
    operationState: {
      phase: "Running",
      message: "waiting for web",
      operation: { initiatedBy: { username: "ada" } },
      syncResult: { resources: [{ kind: "ConfigMap", name: "new", status: "Synced", syncPhase: "Sync" }] },
    },
  };
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  expect(await panel.findByText("The sync is under way: waiting for web")).toBeVisible();
  expect(panel.getByText("Begun by ada")).toBeVisible();
  expect(panel.getByRole("progressbar", { name: "Sync: 1 of 1" })).toBeVisible();
  await userEvent.click(panel.getByRole("button", { name: "Terminate" }));
  await waitFor(() =>
    expect(asked.at(-1)).toMatchObject({ method: "DELETE", url: { pathname: "/api/v1/applications/shop/operation" } }),
  );
});

test("a refusal and a closed window are said", async () => {
  server.use(
    http.get(api("applications/shop/plan"), () =>
      HttpResponse.json({ refused: "two waves wait for each other", counts: {}, risky: [], waves: [] }),
    ),
    http.get(api("applications/shop/syncwindows"), () => HttpResponse.json({ canSync: false })),
  );
  openApp(DRAWER);
  const panel = within(await screen.findByRole("dialog", { name: "Sync shop" }));
  expect(await panel.findByText(/There can be no such sync: two waves/)).toBeVisible();
  expect(await panel.findByText(/window of the project is closed/)).toBeVisible();
  expect(panel.getByRole("button", { name: "Sync" })).toBeDisabled();
});

test("automated syncs are turned off with a reason", async () => {
  shown.spec = { ...shown.spec, syncPolicy: { automated: { prune: true } } };
  openApp("/applications/argocd/shop?tab=resources&drawer=auto-sync:argocd/shop");
  const panel = within(await screen.findByRole("dialog", { name: "Automated syncs of shop" }));
  const turn = await panel.findByRole("button", { name: "Turn automated syncs off" });
  expect(turn).toBeDisabled();
  await userEvent.type(panel.getByLabelText(/Reason/), "migration");
  await userEvent.click(turn);
  await waitFor(() => expect(body("PATCH")).toMatchObject({ patchType: "merge" }));
  const patch = JSON.parse((body("PATCH") as { patch: string }).patch);
  expect(patch.spec.syncPolicy.automated).toEqual({ enabled: false });
  expect(JSON.parse(patch.metadata.annotations["plumbline.dev/auto-sync-note"])).toMatchObject({
    reason: "migration",
    by: "ada",
  });
});

test("an application is deleted by typing its name, and the way is explained", async () => {
  openApp("/applications/argocd/shop?tab=resources&drawer=delete-application:argocd/shop");
  const panel = within(await screen.findByRole("dialog", { name: "Delete shop" }));
  const button = await panel.findByRole("button", { name: "Delete shop" });
  await userEvent.click(panel.getByRole("radio", { name: /Only the application/ }));
  expect(panel.getByText("plumb app delete shop --no-cascade")).toBeVisible();
  expect(button).toBeDisabled();
  await userEvent.type(panel.getByLabelText("Type shop to delete it"), "shop");
  await userEvent.click(button);
  await waitFor(() => expect(asked.at(-1)?.url.searchParams.get("cascade")).toBe("false"));
});

test("r looks again, and the menu looks harder", async () => {
  openApp("/applications/argocd/shop?tab=sync");
  const person = userEvent.setup();
  await screen.findByRole("region", { name: "Actions for shop" });
  await person.keyboard("r");
  await waitFor(() => expect(asked.some((each) => each.url.searchParams.get("refresh") === "normal")).toBe(true));
  await person.click(screen.getByRole("button", { name: "More" }));
  await person.click(await screen.findByRole("menuitem", { name: /Hard refresh/ }));
  await waitFor(() => expect(asked.some((each) => each.url.searchParams.get("refresh") === "hard")).toBe(true));
});
