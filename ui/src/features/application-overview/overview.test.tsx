import { screen, within } from "@testing-library/react";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";

const AGO = new Date(Date.now() - 12 * 60_000).toISOString();

function told(status: object, nodes: object[] | number = []) {
  const shop = application("shop");
  server.use(
    http.get(api("applications/shop"), () => HttpResponse.json({ ...shop, status: { ...shop.status, ...status } })),
    http.get(api("applications/shop/resource-tree"), () =>
      typeof nodes === "number"
        ? HttpResponse.json({ message: "no tree" }, { status: nodes })
        : HttpResponse.json({ nodes }),
    ),
    http.get(api("applications/shop/revisions/:revision/metadata"), () =>
      HttpResponse.json({ author: "Ada <ada@x>", message: "Raise the limit", date: AGO }),
    ),
  );
  return openApp("/applications/argocd/shop");
}

test("links of the settings are beside it, and only those that lead to pages", async () => {
  const items = [
    { title: "Graphs", url: "https://graphs.example/shop", description: "What it does now" },
    { title: "Bad", url: "javascript:alert(1)" },
  ];
  server.use(http.get(api("applications/shop/links"), () => HttpResponse.json({ items })));
  told({});
  const links = within(await screen.findByRole("list", { name: "Links" }));
  expect(links.getByRole("link", { name: /Graphs/ })).toHaveAttribute("href", "https://graphs.example/shop");
  expect(links.getByText("What it does now")).toBeVisible();
  expect(links.getAllByRole("link")).toHaveLength(1);
});

test("the page of an application opens with how it is", async () => {
  told(
    {
      health: { status: "Degraded", lastTransitionTime: AGO },
      history: [{ id: 0, revision: "0123456789012345678901234567890123456789", deployedAt: AGO, deployStartedAt: AGO }],
      operationState: {
        phase: "Succeeded",
        startedAt: AGO,
        finishedAt: AGO,
        operation: { initiatedBy: { username: "ada" } },
      },
      summary: { images: ["shop/web:v1.4.2"] },
      conditions: [{ type: "SharedResourceWarning", message: "ConfigMap x is also part of bar" }],
    },
    [
      {
        version: "v1",
        kind: "Pod",
        name: "a",
        health: { status: "Degraded" },
        info: [{ name: "Status Reason", value: "CrashLoopBackOff" }],
      },
      { version: "v1", kind: "Pod", name: "b", health: { status: "Healthy" } },
      { version: "v1", kind: "ConfigMap", name: "c" },
    ],
  );
  expect(
    await screen.findByRole("heading", { name: "v1.4.2 live 12 min ago; 1 of 2 pods crash-loops since 12 min" }),
  ).toBeVisible();
  const steps = within(screen.getByRole("list", { name: "From the change to its health" }));
  expect(await steps.findByText("0123456 · Raise the limit")).toBeVisible();
  expect(steps.getByText("Rolled out in 0 s")).toBeVisible();
  const warning = screen.getByRole("article", { name: "Another application has some of the same objects" });
  expect(within(warning).getByText("plumb own explain application/shop")).toBeVisible();
  expect(screen.getByRole("link", { name: "2 × Pod" })).toHaveAttribute(
    "href",
    expect.stringContaining("tab=topology"),
  );
  const { violations } = await axe.run(screen.getByRole("tabpanel"), {
    rules: { "color-contrast": { enabled: false } },
  });
  expect(violations.map((each) => each.id)).toEqual([]);
});

test("without a tree the rest is told, and why there is none", async () => {
  told({}, 403);
  expect(await screen.findByRole("heading", { name: "Nothing was deployed yet" })).toBeVisible();
  expect(await screen.findByText("What it is made of could not be read: no tree")).toBeVisible();
});
