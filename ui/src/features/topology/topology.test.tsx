import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";
import type { WireNode } from "./model/wire";

const PAGE = "/applications/argocd/shop";
const DRAWER = `${PAGE}?tab=topology&view=outline&drawer=${encodeURIComponent("resource:argocd/shop/apps/v1/Deployment/shop/web")}`;
const WEB = { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" };
const pod = (name: string, health = "Healthy"): WireNode => ({
  version: "v1",
  kind: "Pod",
  namespace: "shop",
  name,
  uid: `uid-${name}`,
  parentRefs: [WEB],
  health: { status: health, ...(health === "Degraded" ? { message: "back-off restarting failed container" } : {}) },
});
const SHOP: WireNode[] = [
  { ...WEB, uid: "uid-web", health: { status: "Healthy" }, networkingInfo: { externalURLs: ["https://shop.example"] } },
  pod("web-1", "Degraded"),
  pod("web-2"),
  ...Array.from({ length: 60 }, (_, step) => ({
    version: "v1",
    kind: "ConfigMap",
    namespace: "shop",
    name: `cm-${step}`,
  })),
  { group: "s3.aws.upbound.io", version: "v1", kind: "Bucket", name: "invoices", health: { status: "Healthy" } },
];
let nodes: WireNode[];
let asked: string[];

beforeEach(() => {
  nodes = SHOP;
  asked = [];
  const below = (tail: string) => api(`applications/shop/${tail}`);
  server.use(
    http.get(api("applications/shop"), () => HttpResponse.json(application("shop"))),
    http.get(below("resource-tree"), ({ request }) => {
      asked.push(request.url);
      return HttpResponse.json({ nodes });
    }),
    http.get(below("resource"), () =>
      HttpResponse.json({
        manifest: JSON.stringify({
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "web", managedFields: [{ manager: "ada" }] },
        }),
      }),
    ),
    http.get(below("resource/actions"), () =>
      HttpResponse.json({
        actions: [
          { name: "restart" },
          { name: "pause", disabled: true },
          { name: "scale", params: [{ name: "replicas" }] },
        ],
      }),
    ),
    http.get(below("resource/links"), () =>
      HttpResponse.json({ items: [{ title: "Graphs", url: "https://graphs.example/web" }] }),
    ),
    http.get(below("events"), () =>
      HttpResponse.json({
        items: [{ type: "Warning", reason: "BackOff", message: "again", lastTimestamp: "2026-01-01T00:00:00Z" }],
      }),
    ),
  );
});

const items = () => screen.getAllByRole("treeitem").map((item) => item.textContent);
const item = (name: RegExp) => screen.getByRole("treeitem", { name });

async function harmless(element: HTMLElement): Promise<string[]> {
  // Contrast needs a browser that paints.
  const { violations } = await axe.run(element, { rules: { "color-contrast": { enabled: false } } });
  return violations.map((each) => each.id);
}

test("the outline opens the way to what is ill, counts what is well, and has the cloud in it", async () => {
  openApp(`${PAGE}?tab=topology&view=outline`);
  const tree = await screen.findByRole("tree", { name: "Objects of the application" });
  expect(asked[0]).toContain("infrastructure=true");
  expect(items()).toEqual([
    expect.stringContaining("shopApplication"),
    expect.stringContaining("webDeployment"),
    expect.stringMatching(/web-1PodDegraded.*back-off/),
    expect.stringContaining("web-2Pod"),
    expect.stringContaining("invoicesBucket"),
    expect.stringContaining("60 × ConfigMap"),
  ]);
  expect(screen.getByText("64 objects")).toBeVisible();
  expect(await harmless(tree)).toEqual([]);
});

test("arrow keys go through the outline, open groups, and what is open is in the address", async () => {
  const { router } = openApp(`${PAGE}?tab=topology&view=outline`);
  const person = userEvent.setup();
  await screen.findByRole("tree");
  item(/Application/).focus();
  await person.keyboard("{End}");
  expect(item(/60 × ConfigMap/)).toHaveFocus();
  await person.keyboard("{ArrowRight}");
  await waitFor(() => expect(item(/60 × ConfigMap/)).toHaveAttribute("aria-expanded", "true"));
  expect(screen.getAllByRole("treeitem", { name: /cm-/ })).toHaveLength(50);
  expect(router.state.location.search).toMatchObject({ open: ["application>well:ConfigMap"] });
  await person.keyboard("{ArrowLeft}");
  await waitFor(() => expect(screen.queryByRole("treeitem", { name: /cm-/ })).not.toBeInTheDocument());
  await person.keyboard("{Home}{ArrowDown}{ArrowDown}{Enter}");
  expect(await screen.findByRole("dialog", { name: "Pod web-1" })).toBeVisible();
});

test("the filter is in the address and counts what fits", async () => {
  const { router } = openApp(`${PAGE}?tab=topology&view=outline&kind=%5B%22Pod%22%5D`);
  const person = userEvent.setup();
  expect(await screen.findByText("2 of 64 objects")).toBeVisible();
  await person.type(screen.getByRole("searchbox", { name: "Filter objects by name" }), "web-2");
  expect(await screen.findByText("1 of 64 objects")).toBeVisible();
  expect(router.state.location.search).toMatchObject({ q: "web-2", kind: ["Pod"] });
  await person.type(screen.getByRole("searchbox"), "nope");
  await person.click(await screen.findByRole("button", { name: "Show everything" }));
  expect(await screen.findByText("64 objects")).toBeVisible();
});

test("the picture draws the same, and its groups open on a click", async () => {
  const { router } = openApp(`${PAGE}?tab=topology`);
  const person = userEvent.setup();
  const graph = await screen.findByRole("region", { name: /Graph of 6 nodes/ });
  expect(within(graph).getByRole("button", { name: /^web-1 Degraded/ })).toBeInTheDocument();
  await person.click(within(graph).getByRole("button", { name: /60 × ConfigMap/ }));
  expect(await screen.findByRole("region", { name: /Graph of 57 nodes/ })).toBeInTheDocument();
  expect(router.state.location.search).toMatchObject({ open: ["application>well:ConfigMap"] });
  expect(await harmless(graph)).toEqual([]);
});

test("of six hundred objects never more than three hundred are drawn, and arrow keys go along them", async () => {
  nodes = Array.from({ length: 600 }, (_, step) => pod(`p-${step}`, "Degraded"));
  openApp(`${PAGE}?tab=topology`);
  const graph = await screen.findByRole("region", { name: /Graph of/ });
  const drawn = within(graph).getAllByRole("button", { name: /p-|×/ });
  expect(drawn.length).toBeLessThan(300);
  const person = userEvent.setup();
  within(graph).getByRole("button", { name: /^shop/ }).focus();
  await person.keyboard("{ArrowRight}");
  expect(document.activeElement).toHaveTextContent(/p-/);
  await person.keyboard("{ArrowLeft}");
  expect(document.activeElement).toHaveTextContent(/shop/);
});

test("a change of health is seen without asking, and said", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { tell } = openApp(`${PAGE}?tab=topology&view=outline`);
  await screen.findByRole("tree");
  nodes = SHOP.map((node) => (node.name === "web-2" ? pod("web-2", "Degraded") : node));
  await tell("open", { resumed: true });
  await tell("change", { topic: "application:argocd/shop", key: "argocd/shop", kind: "MODIFIED" });
  await waitFor(() => expect(item(/web-2/)).toHaveTextContent("Degraded"));
  vi.advanceTimersByTime(5_000);
  await waitFor(() => expect(screen.getByText("Pod web-2 is Degraded")).toBeInTheDocument());
  vi.useRealTimers();
});

test("the drawer tells of one object, part by part, each with an address", async () => {
  const { router } = openApp(DRAWER);
  const person = userEvent.setup();
  const drawer = await screen.findByRole("dialog", { name: "Deployment web" });
  const links = within(await within(drawer).findByRole("list", { name: "Links" }));
  expect(links.getByRole("link", { name: /https:\/\/shop.example/ })).toHaveAttribute("rel", "noreferrer noopener");
  expect(await links.findByRole("link", { name: /Graphs/ })).toHaveAttribute("href", "https://graphs.example/web");
  expect(await harmless(drawer)).toEqual([]);
  await person.click(within(drawer).getByRole("tab", { name: "YAML" }));
  expect(await within(drawer).findByText(/kind: Deployment/)).toBeVisible();
  expect(within(drawer).queryByText(/managedFields:/)).not.toBeInTheDocument();
  await person.click(within(drawer).getByRole("checkbox"));
  expect(within(drawer).getByText(/managedFields:/)).toBeVisible();
  await person.click(within(drawer).getByRole("tab", { name: "Events" }));
  expect(await within(drawer).findByText("BackOff")).toBeVisible();
  expect(router.state.location.search).toMatchObject({ part: "events" });
  await person.click(within(drawer).getByRole("tab", { name: "Belongs to" }));
  await person.click(within(drawer).getByRole("button", { name: "Pod web-1" }));
  expect(await screen.findByRole("dialog", { name: "Pod web-1" })).toBeVisible();
});

test("what is to be done is asked about first, with what it touches", async () => {
  const done: unknown[] = [];
  server.use(
    http.post(api("applications/shop/resource/actions/v2"), async ({ request }) => {
      done.push(await request.json());
      return HttpResponse.json({});
    }),
  );
  openApp(DRAWER);
  const person = userEvent.setup();
  const drawer = await screen.findByRole("dialog", { name: "Deployment web" });
  await person.click(await within(drawer).findByRole("button", { name: "Actions" }));
  expect(await screen.findByRole("menuitem", { name: "Pause" })).toHaveAttribute("aria-disabled", "true");
  await person.click(screen.getByRole("menuitem", { name: "Scale…" }));
  const question = await screen.findByRole("dialog", { name: "Scale web?" });
  expect(question).toHaveTextContent("which runs 2 pods.");
  expect(within(question).getByRole("button", { name: "Scale web" })).toBeDisabled();
  await person.type(within(question).getByLabelText("replicas"), "3");
  await person.click(within(question).getByRole("button", { name: "Scale web" }));
  await waitFor(() =>
    expect(done).toEqual([
      {
        appNamespace: "argocd",
        group: "apps",
        version: "v1",
        kind: "Deployment",
        namespace: "shop",
        resourceName: "web",
        action: "scale",
        resourceActionParameters: [{ name: "replicas", value: "3" }],
      },
    ]),
  );
});

test("what cannot be made again is deleted only by its name", async () => {
  const deleted: string[] = [];
  server.use(
    http.delete(api("applications/shop/resource"), ({ request }) => {
      deleted.push(new URL(request.url).searchParams.get("resourceName") ?? "");
      return HttpResponse.json({});
    }),
  );
  openApp(
    `${PAGE}?tab=topology&view=outline&drawer=resource%3Aargocd%2Fshop%2Fs3.aws.upbound.io%2Fv1%2FBucket%2F%2Finvoices`,
  );
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Actions" }));
  await person.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  const question = await screen.findByRole("dialog", { name: "Delete invoices?" });
  const button = within(question).getByRole("button", { name: "Delete invoices" });
  await person.type(within(question).getByLabelText("Type invoices to go on"), "invoice");
  expect(button).toBeDisabled();
  await person.type(within(question).getByLabelText("Type invoices to go on"), "s{Enter}");
  await waitFor(() => expect(deleted).toEqual(["invoices"]));
});

test("an object that is gone, and an address that names none, say so", async () => {
  openApp(`${PAGE}?tab=topology&view=outline&drawer=resource:argocd/shop//v1/Pod/shop/gone`);
  expect(await screen.findByText(/shop has no Pod gone any more/)).toBeVisible();
});

test.each([
  [{ status: 403, message: "permission denied" }, "The topology may not be seen by you."],
  [{ status: 500, message: "boom" }, "The topology could not be read."],
])("where it cannot be shown it says why: %o", async ({ status, message }, sentence) => {
  server.use(http.get(api("applications/shop/resource-tree"), () => HttpResponse.json({ message }, { status })));
  openApp(`${PAGE}?tab=topology`);
  expect(await screen.findByText(sentence)).toBeVisible();
});

test("an application without objects says what to do", async () => {
  nodes = [];
  openApp(`${PAGE}?tab=topology`);
  expect(await screen.findByText(/There are no objects yet/)).toBeVisible();
});
