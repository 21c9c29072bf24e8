import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import { aroundOf, causeText, drawerId, objectOf, partsOf, thingText } from "./model/entry";
import { askedOf, changesSearchOf } from "./model/search";
import type { Entry } from "./model/wire";

const AT = "2026-11-16T04:00:00Z";
const WEB = { cluster: "in-cluster", group: "apps", kind: "Deployment", namespace: "shop", name: "web" };

const entry = (id: string, more: Partial<Entry> = {}): Entry => ({
  id,
  at: AT,
  kind: "performed",
  verb: "sync",
  actor: { kind: "person", name: "ada" },
  subject: WEB,
  change: "c1",
  summary: `Synced ${id}`,
  details: { options: { prune: true } },
  ...more,
});

let asked: URLSearchParams[] = [];
beforeEach(() => {
  asked = [];
  server.use(
    http.get(api("changes"), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      if (query.get("cursor")) return HttpResponse.json({ items: [entry("old")] });
      return HttpResponse.json({ items: [entry("new"), entry("begun", { kind: "intended" })], cursor: "begun" });
    }),
  );
});

test("changes are listed, and older ones when asked for", async () => {
  openApp("/changes");
  expect(await screen.findByRole("row", { name: /Synced new/ })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Show older ones" }));
  expect(await screen.findByRole("row", { name: /Synced old/ })).toBeVisible();
  expect(asked.at(-1)?.get("cursor")).toBe("begun");
});

test("a filter is in the address and asked of the server, and so is the export", async () => {
  const { router } = openApp("/changes");
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("Actor"), "ada");
  await person.type(screen.getByLabelText("Verb"), "sync{Enter}");
  await waitFor(() => expect(router.state.location.search).toEqual({ actor: "ada", verb: "sync" }));
  await waitFor(() => expect(asked.at(-1)?.get("actor")).toBe("person:ada"));
  expect(screen.getByRole("link", { name: "CSV" })).toHaveAttribute(
    "href",
    expect.stringContaining("verb=sync&format=csv"),
  );
  await person.selectOptions(screen.getByLabelText("What"), "refused");
  await waitFor(() => expect(router.state.location.search).toEqual({ actor: "ada", verb: "sync", kind: "refused" }));
});

test("one is read in the drawer, with its options and the rest of its change", async () => {
  const { router } = openApp("/changes");
  await userEvent.click(await screen.findByRole("button", { name: "Synced new" }));
  const drawer = await screen.findByRole("dialog", { name: "What happened" });
  expect(await within(drawer).findByText(/prune: true/)).toBeVisible();
  expect(await within(drawer).findByRole("region", { name: "The same change" })).toBeVisible();
  expect(within(drawer).getByRole("link", { name: "person:ada" })).toHaveAttribute(
    "href",
    "/changes?actor=person%3Aada",
  );
  expect(router.state.location.search).toEqual({ drawer: `change:${AT}~new` });
});

test("a link to an entry that is gone says so", async () => {
  openApp(`/changes?drawer=${encodeURIComponent(`change:${AT}~gone`)}`);
  expect(await screen.findByText(/There is no such entry/)).toBeVisible();
});

test("nothing found and nothing there are told apart", async () => {
  server.use(http.get(api("changes"), () => HttpResponse.json({ items: [] })));
  const { router } = openApp("/changes?verb=delete");
  expect(await screen.findByText("Nothing that happened fits.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Show everything" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(await screen.findByText(/Nothing has happened yet/)).toBeVisible();
});

type Asked = Record<string, string>;
const NOW = Date.parse("2026-11-16T04:00:30Z");

test.each<[search: Asked, expected: Asked, why: string]>([
  [{ since: "24h" }, { since: "2026-11-15T04:00:00.000Z" }, "a span ends now, to the minute"],
  [{ since: "2026-11-01" }, { since: "2026-11-01T00:00:00.000Z" }, "a day begins at its beginning"],
  [{ since: "yesterday" }, { since: "yesterday" }, "what is no time is for the server to refuse"],
  [{ actor: "controller:x" }, { actor: "controller:x" }, "the kind of actor is said"],
  [{ actor: "ada" }, { actor: "person:ada" }, "a name alone is a person"],
])("%j is asked as %j, for %s", (search, expected) => {
  expect(askedOf(search, NOW)).toEqual(expected);
});

test("things and causes are words", () => {
  expect(thingText(WEB)).toBe("Deployment shop/web");
  expect(thingText({ ...WEB, cluster: "eu" })).toBe("Deployment shop/web on eu");
  expect(thingText({ provider: "aws", id: "vpc-1" })).toBe("aws vpc-1");
  expect([objectOf(WEB), objectOf({ provider: "aws", id: "x" })]).toEqual(["apps/Deployment/shop/web", ""]);
  expect(causeText(entry("a", { cause: { commit: "0123456789abcdef", repo: "r" } }))).toBe("Commit 0123456789 of r");
  expect(causeText(entry("a", { cause: { person: "ada" } }))).toBe("ada");
  expect(causeText(entry("a", { cause: { schedule: "nightly", due: "x" } }))).toBe("Schedule nightly, due x");
  expect(causeText(entry("a", { cause: { object: WEB } }))).toBe("Deployment shop/web");
  expect(partsOf(drawerId(entry("a~b")))).toEqual({ at: AT, id: "a~b" });
  expect(aroundOf("nonsense")).toBeUndefined();
  expect(changesSearchOf({ verb: "sync", colour: "red", actor: 7 })).toEqual({ verb: "sync", actor: "7" });
});
