import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import type { Claim, Tree, TreeNode } from "./model/wire";

const AT = "platform.example/PostgreSQLInstance/shop/db";
const DB: Claim = {
  group: "platform.example",
  kind: "PostgreSQLInstance",
  namespace: "shop",
  name: "db",
  state: "wrong",
  message: "DBSubnetGroupNotFoundFault: no subnet group default",
  providers: ["aws"],
  parts: 8,
};
const WELL: Claim = { ...DB, name: "cache", state: "well", message: "" };
let asked: URLSearchParams[] = [];

const part = (id: number, parent: number | undefined, said: Partial<TreeNode>): TreeNode => ({
  id,
  ...(parent === undefined ? {} : { parent }),
  parts: "none",
  group: "rds.aws.upbound.io",
  kind: "Instance",
  name: `part-${id}`,
  role: "managed",
  presence: "present",
  state: "well",
  synced: "True",
  ready: "True",
  ...said,
});

const TREE: Tree = {
  sentence: "PostgreSQLInstance db is not ready: DBSubnetGroupNotFoundFault",
  nodes: [
    part(0, undefined, {
      parts: "present",
      role: "claim",
      kind: DB.kind,
      name: "db",
      namespace: "shop",
      group: DB.group,
      state: "wrong",
      ready: "False",
    }),
    part(1, 0, {
      role: "composite",
      kind: "XPostgreSQLInstance",
      group: DB.group,
      name: "db-x",
      parts: "present",
      state: "wrong",
      ready: "False",
    }),
    part(2, 1, {
      name: "db-i",
      state: "wrong",
      synced: "False",
      ready: "False",
      reason: "ReconcileError",
      message: "DBSubnetGroupNotFoundFault: no subnet group default",
      externalName: "shop-db-1",
      console: "https://eu-central-1.console.aws.amazon.com/rds",
      drift: "allocatedStorage: 20 instead of 10",
      changedAt: "2026-11-16T00:00:00Z",
      provider: "aws",
      providerConfig: "default",
    }),
    part(3, 1, { name: "gone", presence: "missing", why: "instances.rds not found", state: "wrong" }),
    part(4, 1, { name: "hidden", presence: "forbidden", why: "permission denied", state: "waiting" }),
    part(5, 1, { name: "growing", kind: "XNetwork", role: "composite", parts: "loading", state: "waiting" }),
    part(6, 1, { name: "bare", kind: "XNothing", role: "composite", parts: "empty" }),
    ...Array.from({ length: 8 }, (_, place) => part(place + 7, 1, { kind: "Subnet" })),
  ],
  cause: {
    said: "",
    reason: "ReconcileError",
    message: "DBSubnetGroupNotFoundFault: no subnet group default",
    path: [
      { kind: DB.kind, group: DB.group, namespace: "shop", name: "db" },
      { group: "rds.aws.upbound.io", kind: "Instance", name: "db-i" },
    ],
    turn: "you",
    next: "Make the subnet group, or name another",
    commands: ["plumb release instance/db-i"],
  },
};

beforeEach(() => {
  asked = [];
  server.use(
    http.get(api("claims"), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.json({
        items: [DB, WELL],
        counts: { total: 2, state: { wrong: 1, well: 1 }, kind: { PostgreSQLInstance: 2 }, namespace: { shop: 2 } },
        unseen: [{ kind: "queues", why: "the server did not answer" }],
      });
    }),
    http.get(api(`claims/${AT}`), () =>
      HttpResponse.json({
        ...DB,
        object: { kind: DB.kind },
        connectionSecret: "db-connection",
        application: { namespace: "argocd", name: "orders" },
        events: [
          {
            type: "Warning",
            reason: "CannotCreate",
            message: "no subnet",
            count: 3,
            lastTimestamp: "2026-11-16T00:00:00Z",
          },
        ],
      }),
    ),
    http.get(api(`claims/${AT}/tree`), () => HttpResponse.json(TREE)),
    http.get(api("definitions"), () =>
      HttpResponse.json({
        items: [{ name: "x", group: DB.group, kind: DB.kind, connectionKeys: ["username", "password"] }],
        counts: { total: 1 },
      }),
    ),
  );
});

async function expectAccessible() {
  // Nothing is laid out here, so that colours are looked at in a browser.
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([]);
}

test("claims are listed worst first, in words, and filters with counts are in the address", async () => {
  const { router } = openApp("/infra");
  const person = userEvent.setup();
  const row = await screen.findByRole("row", { name: /^db / });
  expect(within(row).getByText("Failing")).toBeVisible();
  expect(within(row).getByText(/DBSubnetGroupNotFoundFault/)).toBeVisible();
  expect(screen.getByText("queues cannot be listed now: the server did not answer")).toBeVisible();
  expect(screen.getByText("2 claims")).toBeVisible();
  expect(screen.getByText(/^Updated/)).toBeVisible();
  expect(asked[0]?.get("sort")).toBe("state");
  await expectAccessible();
  await person.click(screen.getByRole("button", { name: "State" }));
  await person.click(await screen.findByRole("menuitemcheckbox", { name: "Failing (1)" }));
  await waitFor(() => expect(asked.at(-1)?.get("q")).toBe("state:wrong"));
  expect(router.state.location.search).toEqual({ q: "state:wrong" });
});

test("keys find, move and open", async () => {
  const { router } = openApp("/infra");
  const person = userEvent.setup();
  await screen.findByRole("row", { name: /^db / });
  await person.keyboard("f");
  await person.keyboard("cac");
  await waitFor(() => expect(router.state.location.search).toEqual({ q: "cac" }));
  await person.keyboard("{Escape}ko");
  await waitFor(() => expect(router.state.location.pathname).toBe(`/infra/${AT}`));
});

test("news of the server is asked for at once", async () => {
  const { tell } = openApp("/infra");
  await screen.findByRole("row", { name: /^db / });
  const before = asked.length;
  await waitFor(async () => {
    await tell("open", { resumed: true });
    await tell("change", { topic: "claims", key: "shop/db", kind: "MODIFIED" });
    expect(asked.length).toBeGreaterThan(before);
  });
});

test("nothing found, nothing there and not allowed are told apart", async () => {
  const none = { items: [], counts: { total: 0 } };
  server.use(http.get(api("claims"), () => HttpResponse.json(none)));
  const { router } = openApp("/infra?q=zzz");
  await screen.findByText("No claim fits zzz.");
  await userEvent.click(screen.getByRole("button", { name: "Show all claims" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(await screen.findByText(/Nobody has claimed anything yet/)).toBeVisible();
});

test("a list that may not be seen says so", async () => {
  server.use(http.get(api("claims"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })));
  openApp("/infra");
  expect(await screen.findByText("The claims may not be seen by you.")).toBeVisible();
  expect(screen.getByRole("heading", { name: "Infra" })).toBeVisible();
});

test("a claim shows the way to its cause, the cloud's own words and what to do", async () => {
  openApp(`/infra/${AT}`);
  const tree = await screen.findByRole("tree", { name: "What db is made of" });
  expect(screen.getByText(TREE.sentence)).toBeVisible();
  const chosen = within(tree).getByRole("treeitem", { selected: true });
  expect(chosen).toHaveTextContent("db-i");
  expect(chosen).toHaveTextContent("Not synced · Not ready");
  expect(chosen).toHaveAttribute("aria-level", "3");
  const details = screen.getByRole("region", { name: "Details of db-i" });
  expect(within(details).getByText("DBSubnetGroupNotFoundFault: no subnet group default")).toBeVisible();
  expect(within(details).getByText("shop-db-1")).toBeVisible();
  expect(within(details).getByText("allocatedStorage: 20 instead of 10")).toBeVisible();
  expect(within(details).getByRole("link", { name: /Open the console/ })).toHaveAttribute("rel", "noreferrer noopener");
  expect(screen.getByText("plumb release instance/db-i")).toBeVisible();
  expect(await screen.findByText("username, password")).toBeVisible();
  expect(screen.getByText("db-connection")).toBeVisible();
  expect(screen.getByRole("link", { name: "orders" })).toBeVisible();
  await expectAccessible();
});

test("loading, forbidden, missing and truly empty are four things", async () => {
  openApp(`/infra/${AT}`);
  const tree = await screen.findByRole("tree");
  const line = (name: RegExp) => within(tree).getByRole("treeitem", { name });
  expect(line(/^gone/)).toHaveTextContent("It is named, and it is not there.");
  expect(line(/^hidden/)).toHaveTextContent("It is there, and it may not be seen.");
  expect(line(/^growing/)).toHaveTextContent("Its parts are still being made.");
  await userEvent.click(line(/9 more are ready/));
  expect(line(/^bare/)).toHaveTextContent("It is ready and has no parts: there is nothing to make.");
  await userEvent.click(line(/^gone/));
  expect(await screen.findByText("instances.rds not found")).toBeVisible();
});

test("events that could not be read are not told as none", async () => {
  server.use(
    http.get(api(`claims/${AT}`), () =>
      HttpResponse.json({
        ...DB,
        object: { kind: DB.kind },
        connectionSecret: "",
        application: null,
        events: [],
        eventsUnread: "events is forbidden",
      }),
    ),
  );
  openApp(`/infra/${AT}`);
  const events = await screen.findByRole("region", { name: "Events" });
  expect(events).toHaveTextContent("They could not be read: events is forbidden");
  expect(events).not.toHaveTextContent("The cluster remembers none.");
});

test("the tree is walked by keys, and where one is, is in the address", async () => {
  const { router } = openApp(`/infra/${AT}`);
  const person = userEvent.setup();
  const tree = await screen.findByRole("tree");
  within(tree).getByRole("treeitem", { selected: true }).focus();
  await person.keyboard("{ArrowLeft}{Enter}");
  await waitFor(() =>
    expect(router.state.location.search).toEqual({ node: "XPostgreSQLInstance.platform.example/db-x" }),
  );
  await person.keyboard("{ArrowLeft}");
  await waitFor(() => expect(within(tree).getAllByRole("treeitem")).toHaveLength(2));
  expect(within(tree).getByRole("treeitem", { name: /^db-x/ })).toHaveAttribute("aria-expanded", "false");
  await person.keyboard("{ArrowUp}");
  expect(document.activeElement).toHaveTextContent("claim");
});

test("a claim that is not there says so", async () => {
  server.use(
    http.get(api(`claims/${AT}`), () => HttpResponse.json({ message: "there is no such claim" }, { status: 404 })),
    http.get(api(`claims/${AT}/tree`), () => HttpResponse.json({ message: "no" }, { status: 404 })),
  );
  openApp(`/infra/${AT}`);
  expect(await screen.findByText("db cannot be found.")).toBeVisible();
});

test("what is only simulated says so, in the list, in the tree and in a sentence", async () => {
  const said = "Nothing here reaches AWS";
  server.use(
    http.get(api("claims"), () =>
      HttpResponse.json({ items: [{ ...DB, simulated: said }, WELL], counts: { total: 2 } }),
    ),
    http.get(api(`claims/${AT}/tree`), () =>
      HttpResponse.json({
        ...TREE,
        nodes: TREE.nodes.map((node) => (node.name === "db-i" ? { ...node, simulated: said } : node)),
      }),
    ),
  );
  openApp("/infra");
  const row = await screen.findByRole("row", { name: /^db / });
  expect(within(row).getByText("simulated")).toBeVisible();
  await userEvent.setup().click(within(row).getByRole("link", { name: "db" }));
  const failing = await screen.findByRole("treeitem", { name: /db-i/ });
  expect(within(failing).getByText("simulated")).toBeVisible();
  expect(within(failing).getByText(/no subnet group default/)).toBeVisible();
  expect(within(screen.getByRole("region", { name: "Details of db-i" })).getByText(said)).toBeVisible();
});
