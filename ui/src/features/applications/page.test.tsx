import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, listOf, server } from "../../../tests/server";
import { pins } from "./stores";

const TOTAL = 10_000;
let asked: URLSearchParams[] = [];

/** Ten thousand applications, of which one asks for pages. */
beforeEach(() => {
  asked = [];
  pins.set([]);
  server.use(
    http.get(api("applications"), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit"))];
      const items = Array.from({ length: Math.min(limit, TOTAL - offset) }, (_, step) =>
        application(`app-${offset + step}`),
      );
      return HttpResponse.json(listOf(items, TOTAL));
    }),
  );
});

const rows = () => screen.getAllByRole("rowheader").map((cell) => cell.textContent);

test("of ten thousand only those in sight are asked for and drawn", async () => {
  openApp("/applications");
  expect(await screen.findByText("app-0")).toBeVisible();
  expect(rows().length).toBeLessThan(60);
  expect(asked.map((query) => [query.get("offset"), query.get("limit")])).toEqual([["0", "100"]]);
  expect(screen.getByRole("table", { name: "Applications" })).toHaveAttribute("aria-rowcount", "10001");
  expect(screen.getAllByText("10,000 applications")[0]).toBeVisible();
});

test("a filter is in the address and asked of the server", async () => {
  const { router } = openApp("/applications");
  const person = userEvent.setup();
  await screen.findByText("app-0");
  await person.keyboard("f");
  await person.keyboard("pay");
  await waitFor(() => expect(router.state.location.search).toEqual({ q: "pay" }));
  await person.click(screen.getByRole("checkbox", { name: "Degraded" }));
  await waitFor(() => expect(asked.at(-1)?.get("q")).toBe("health:Degraded pay"));
  expect(screen.getByLabelText("Filter applications")).toHaveValue("health:Degraded pay");
});

test("columns sort on the server", async () => {
  const { router } = openApp("/applications");
  await screen.findByText("app-0");
  await userEvent.click(screen.getByRole("button", { name: "Health" }));
  await waitFor(() => expect(asked.at(-1)?.get("sort")).toBe("health"));
  expect(router.state.location.search).toEqual({ sort: "health" });
  expect(screen.getByRole("columnheader", { name: "Health" })).toHaveAttribute("aria-sort", "ascending");
});

test("groups fold", async () => {
  openApp("/applications?group=project");
  const person = userEvent.setup();
  const title = await screen.findByRole("button", { name: /shop 10,000 applications/ });
  expect(asked.at(-1)?.get("sort")).toBe("project");
  await person.click(title);
  await waitFor(() => expect(screen.queryByText("app-0")).not.toBeInTheDocument());
  expect(screen.getByRole("button", { name: /shop/ })).toHaveAttribute("aria-expanded", "false");
});

test("tiles show the same", async () => {
  openApp("/applications?view=tiles");
  expect(await screen.findByRole("link", { name: "app-0" })).toBeVisible();
  expect(screen.queryByRole("table")).not.toBeInTheDocument();
});

test("a change is seen without asking again", async () => {
  const { tell } = openApp("/applications");
  await screen.findByText("app-0");
  await waitFor(() => tell("open", { resumed: true }));
  await tell("change", {
    topic: "applications",
    key: "argocd/app-0",
    kind: "MODIFIED",
    object: application("app-0", { health: "Degraded" }),
  });
  const row = screen.getByRole("row", { name: /app-0 / });
  expect(await within(row).findByText("Degraded")).toBeVisible();
  expect(asked).toHaveLength(1);
});

test("what is selected by keys is synced after a dry run, and a refusal is shown", async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post(api("applications/:name/sync"), async ({ request, params }) => {
      bodies.push(await request.json());
      if (params.name === "app-1") return HttpResponse.json({ message: "permission denied" }, { status: 403 });
      return HttpResponse.json(application(String(params.name)));
    }),
  );
  openApp("/applications");
  const person = userEvent.setup();
  await screen.findByText("app-0");
  await person.keyboard("xjx");
  expect(await screen.findByText("2 applications selected")).toBeVisible();
  await person.keyboard("s");
  const panel = await screen.findByRole("dialog", { name: "Sync 2 applications" });
  expect(within(panel).getByRole("button", { name: "Sync 2 applications" })).toBeDisabled();
  await person.click(within(panel).getByRole("button", { name: "Dry run" }));
  expect(await within(panel).findByText(/1 application can be synced.*1 refused/)).toBeVisible();
  expect(within(panel).getByText("permission denied")).toBeVisible();
  expect(bodies).toContainEqual({ name: "app-0", appNamespace: "argocd", dryRun: true, prune: false });
  expect(within(panel).getByRole("button", { name: "Sync 2 applications" })).toBeEnabled();
  await person.click(within(panel).getByRole("checkbox", { name: /Prune/ }));
  expect(within(panel).getByRole("button", { name: "Sync 2 applications" })).toBeDisabled();
});

test("pinned applications stay on top", async () => {
  openApp("/applications");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Pin app-3" }));
  const pinned = await screen.findByRole("region", { name: "Pinned applications" });
  expect(await within(pinned).findByRole("link", { name: "app-3" })).toBeVisible();
  await person.click(within(pinned).getByRole("button", { name: "Unpin argocd/app-3" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Pinned applications" })).not.toBeInTheDocument());
});

test("a view is saved under a name and opened again", async () => {
  const { router } = openApp("/applications?q=sync:OutOfSync&view=tiles");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Views" }));
  await person.click(await screen.findByRole("menuitem", { name: "Save this view" }));
  await person.type(await screen.findByLabelText("Name"), "Mine{Enter}");
  await person.click(await screen.findByRole("button", { name: "Mine" }));
  await person.click(await screen.findByRole("menuitem", { name: "All applications" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  await person.click(screen.getByRole("button", { name: "All applications" }));
  await person.click(await screen.findByRole("menuitem", { name: "Mine" }));
  await waitFor(() => expect(router.state.location.search).toEqual({ q: "sync:OutOfSync", view: "tiles" }));
});

test("nothing found and nothing there are told apart", async () => {
  server.use(http.get(api("applications"), () => HttpResponse.json(listOf([]))));
  const { router } = openApp("/applications?q=zzz");
  expect(await screen.findByText("No application fits zzz.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Show all applications" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(await screen.findByText(/There are no applications yet/)).toBeVisible();
});

test("a filter that cannot be read says why", async () => {
  server.use(
    http.get(api("applications"), () =>
      HttpResponse.json({ message: "nothing is searched by 'colour'" }, { status: 400 }),
    ),
  );
  openApp("/applications?q=colour:red");
  expect(await screen.findByText(/nothing is searched by 'colour'/)).toBeVisible();
});
