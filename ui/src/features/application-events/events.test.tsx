import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";
import { askedAbout, eventRows, MOST_ASKED } from "./model/events";

let asked: string[] = [];
const event = (uid: string, type: string, reason: string, at: string) => ({
  metadata: { uid },
  type,
  reason,
  message: `${reason} happened`,
  involvedObject: { kind: "Pod", name: "web-1" },
  lastTimestamp: at,
});

beforeEach(() => {
  asked = [];
  server.use(
    http.get(api("applications/shop"), () => HttpResponse.json(application("shop"))),
    http.get(api("applications/shop/resource-tree"), () =>
      HttpResponse.json({
        nodes: [
          { kind: "Pod", name: "web-1", namespace: "shop", uid: "u1", health: { status: "Degraded" } },
          { kind: "Pod", name: "web-2", namespace: "shop", uid: "u2", health: { status: "Healthy" } },
        ],
      }),
    ),
    http.get(api("applications/shop/events"), ({ request }) => {
      const uid = new URL(request.url).searchParams.get("resourceUID") ?? "";
      asked.push(uid);
      const items = uid
        ? [event("1", "Warning", "BackOff", "2026-01-01T10:00:05Z")]
        : [event("2", "Normal", "OperationCompleted", "2026-01-01T10:00:00Z")];
      return HttpResponse.json({ items });
    }),
  );
});

const AT = "/applications/argocd/shop?tab=events";

test("the application's and those of what is not healthy, the latest first", async () => {
  openApp(AT);
  await screen.findByRole("row", { name: /BackOff.*Warning/ });
  await screen.findByRole("row", { name: /OperationCompleted.*Normal/ });
  expect(screen.getAllByRole("rowheader").map((cell) => cell.textContent)).toEqual(["BackOff", "OperationCompleted"]);
  expect(asked.toSorted()).toEqual(["", "u1"]);
});

test("one object or only warnings can be chosen, and the address says so", async () => {
  const { router } = openApp(AT);
  await screen.findByRole("row", { name: /BackOff/ });
  await userEvent.click(screen.getByRole("checkbox", { name: "Only warnings" }));
  await waitFor(() => expect(screen.queryByRole("row", { name: /OperationCompleted/ })).not.toBeInTheDocument());
  await userEvent.selectOptions(screen.getByLabelText("About"), "Pod shop/web-2");
  await waitFor(() => expect(asked).toContain("u2"));
  expect(router.state.location.search).toEqual({ tab: "events", warnings: true, about: "u2" });
});

test("a change of the application is looked into at once", async () => {
  const { tell } = openApp(AT);
  await screen.findByRole("row", { name: /OperationCompleted/ });
  const before = asked.length;
  await tell("change", { topic: "application:argocd/shop", key: "argocd/shop", kind: "MODIFIED" });
  await waitFor(() => expect(asked.length).toBeGreaterThan(before));
});

test("silence is said", async () => {
  server.use(http.get(api("applications/shop/events"), () => HttpResponse.json({ items: [] })));
  openApp(AT);
  expect(await screen.findByText("Nothing was told lately.")).toBeVisible();
});

test("no more objects are asked about than a page may ask", () => {
  const nodes = Array.from({ length: 50 }, (_, place) => ({
    kind: "Pod",
    name: `p${place}`,
    uid: `u${place}`,
    health: { status: "Degraded" },
  }));
  expect(askedAbout(nodes, "")).toHaveLength(MOST_ASKED);
  expect(askedAbout(nodes, "u9").map((node) => node.name)).toEqual(["p9"]);
  expect(eventRows([{ reason: "x" }])).toMatchObject([{ reason: "x", count: 1, at: "" }]);
});
