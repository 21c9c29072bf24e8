import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import { askedOf, commandFor, nameOf, ownerText, resourceText, sidesOf } from "./model/words";

const DB = { object: { group: "db.io", kind: "Postgres", namespace: "shop", name: "orders" }, cluster: "" };
const CLAIMS = [
  {
    owner: { engine: "application", name: "argocd/shop" },
    strength: "declared",
    place: "shop.yaml",
    wayOut: "Leave it",
  },
  { owner: { engine: "application", hidden: true }, strength: "declared" },
];

const contest = () =>
  server.use(
    http.get(api("ownership"), ({ request }) => {
      const object = new URL(request.url).searchParams.get("object");
      if (!object) return HttpResponse.json({ contested: [{ resource: DB, claims: CLAIMS }] });
      if (object !== "db.io/Postgres/shop/orders") {
        return HttpResponse.json({ message: `nothing is known about ${object}` }, { status: 404 });
      }
      return HttpResponse.json({
        resource: DB,
        owner: CLAIMS[0]?.owner,
        contested: true,
        chain: [
          { resource: DB, owner: CLAIMS[0]?.owner, parent: { external: "aws", id: "db-1" }, claims: CLAIMS },
          { resource: { external: "aws", id: "db-1" }, owner: CLAIMS[0]?.owner, parent: null },
        ],
      });
    }),
  );

test("what is contested is listed with both sides, and one of them may be hidden", async () => {
  contest();
  const { router } = openApp("/ownership");
  const region = await screen.findByRole("region", { name: "Contested" });
  expect(within(region).getByText("Application argocd/shop")).toBeVisible();
  expect(within(region).getByText("Application that you may not see")).toBeVisible();
  expect(within(region).getByText("Leave it")).toBeVisible();
  await userEvent.click(within(region).getByRole("link", { name: "Postgres shop/orders" }));
  expect(await screen.findByText("has it")).toBeVisible();
  expect(screen.getByText("wants it, and is refused")).toBeVisible();
  expect(router.state.location.search).toEqual({ object: "db.io/Postgres/shop/orders" });
  expect(screen.getByRole("region", { name: "How it comes to its owner" })).toHaveTextContent("is part of aws db-1");
});

test("something is looked up by its name, and nothing known is told", async () => {
  contest();
  const { router } = openApp("/ownership");
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("Whose is it?"), "Secret/shop/db{Enter}");
  await waitFor(() => expect(router.state.location.search).toEqual({ object: "Secret/shop/db" }));
  expect(await screen.findByText(/nothing is known about -\/Secret\/shop\/db/)).toBeVisible();
});

test("no conflict at all is said", async () => {
  server.use(http.get(api("ownership"), () => HttpResponse.json({ contested: [] })));
  openApp("/ownership");
  expect(await screen.findByText(/Nothing is claimed twice/)).toBeVisible();
});

test("resources, owners and commands are words", () => {
  expect([resourceText(DB), resourceText({ ...DB, cluster: "eu" })]).toEqual([
    "Postgres shop/orders",
    "Postgres shop/orders on eu",
  ]);
  expect([nameOf({ ...DB, cluster: "eu" }), nameOf({ external: "aws", id: "x" })]).toEqual([
    "eu/db.io/Postgres/shop/orders",
    "aws/x",
  ]);
  expect(commandFor(DB)).toBe("plumb own explain postgres.db.io/orders -n shop");
  expect(commandFor({ external: "aws_vpc", id: "x" })).toBe("plumb own explain 'aws_vpc/x'");
  expect(ownerText({ engine: "new", name: "x" })).toBe("new x");
  expect([askedOf("arn:aws:x/y/z"), askedOf(" Secret/a/b "), askedOf("apps/D/a/b")]).toEqual([
    "arn:aws:x/y/z",
    "-/Secret/a/b",
    "apps/D/a/b",
  ]);
  expect(sidesOf([{ owner: { engine: "helm" }, strength: "trace" }])).toHaveLength(1);
});
