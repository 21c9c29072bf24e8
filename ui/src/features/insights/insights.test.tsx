import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import { daily, lengthText, share, spanOf, subjectText } from "./model/bars";

const today = new Date().toISOString().slice(0, 10);
const SHOP = { kind: "Application", namespace: "argocd", name: "shop" };

test("lead time and drift are shown with their own definitions", async () => {
  const asked: (string | null)[] = [];
  server.use(
    http.get(api("insights/lead-time"), ({ request }) => {
      asked.push(new URL(request.url).searchParams.get("since"));
      return HttpResponse.json({
        definition: "From commit to healthy",
        count: 3,
        p50Seconds: 90,
        p90Seconds: 7200,
        days: [{ day: today, count: 3, p50Seconds: 90 }],
        applications: [{ application: SHOP, count: 3, p50Seconds: 90 }],
      });
    }),
    http.get(api("insights/drift"), () =>
      HttpResponse.json({
        definition: "From differing to right again",
        count: 2,
        open: 1,
        managers: { kubectl: 2 },
        drifters: [{ subject: SHOP, count: 2 }],
        days: [{ day: today, count: 2 }],
      }),
    ),
  );
  const { router } = openApp("/insights");
  const lead = await screen.findByRole("region", { name: "Lead time" });
  expect(await within(lead).findByText("From commit to healthy.")).toBeVisible();
  expect(within(lead).getByText("1.5 min")).toBeVisible();
  expect(within(lead).getByRole("img", { name: "Median lead time by day" }).querySelectorAll("rect")).toHaveLength(30);
  const drift = screen.getByRole("region", { name: "Drift" });
  expect(await within(drift).findByText("kubectl")).toBeVisible();
  await userEvent.click(screen.getByRole("link", { name: "7 days" }));
  await waitFor(() => expect(router.state.location.search).toEqual({ days: 7 }));
  await waitFor(() => expect(asked).toHaveLength(2));
});

test("no deliveries and no drift are said, and a failure is told apart from both", async () => {
  server.use(
    http.get(api("insights/lead-time"), () => HttpResponse.json({ definition: "D", count: 0 })),
    http.get(api("insights/drift"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })),
  );
  openApp("/insights");
  expect(await screen.findByText("No commit has become healthy in this time.")).toBeVisible();
  expect(await screen.findByText("Drift may not be seen by you.")).toBeVisible();
});

test.each([
  [0.2, "under 1 s"],
  [45, "45 s"],
  [90, "1.5 min"],
  [7200, "2 h"],
  [200_000, "2.3 d"],
  [undefined, "not known"],
])("%s seconds are %s", (seconds, expected) => {
  expect(lengthText(seconds)).toBe(expected);
});

test("every day of a span has a bar, and bars are shares of the longest", () => {
  const span = spanOf(3, Date.parse("2026-11-16T12:00:00Z"));
  expect(span.since).toBe("2026-11-14T00:00:00.000Z");
  const bars = daily([{ day: "2026-11-15", count: 4 }], span, ({ count }) => ({ value: count, text: `${count}` }));
  expect(bars.map((bar) => [bar.key, bar.value])).toEqual([
    ["2026-11-14", 0],
    ["2026-11-15", 4],
    ["2026-11-16", 0],
  ]);
  expect([share(0, bars), share(4, bars), share(0.001, bars)]).toEqual([0, 1, 0.02]);
  expect([subjectText(SHOP), subjectText({ provider: "aws", id: "x" })]).toEqual(["Application argocd/shop", "aws x"]);
});
