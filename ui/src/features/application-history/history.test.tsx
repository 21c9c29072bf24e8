import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";
import { comparedManifests } from "./model/compare";
import {
  actorText,
  chosenAfter,
  difference,
  durationText,
  historySearch,
  imageText,
  pairOf,
  revisionText,
} from "./model/history";
import { PIN, pinHolds, pinOf, revertCommands, rollbackCommand, rollbackSentences } from "./model/rollback";

const OLD = "a".repeat(40);
const NOW = "0123456789012345678901234567890123456789";
const source = { repoURL: "https://git/x/shop.git", path: "prod", targetRevision: "main" };
const item = (id: number, revision: string, more = {}) => ({
  id,
  result: "Succeeded",
  startedAt: "2026-01-01T10:00:00Z",
  finishedAt: "2026-01-01T10:00:12Z",
  revisions: [revision],
  sources: [source],
  actor: "ada",
  images: [`reg/web:${id}`],
  commits: [{ revision, author: "Bo <bo@x>", message: `Change ${id}\n\nbody` }],
  ...more,
});

let posted: unknown[];
let annotations: Record<string, string>;

beforeEach(() => {
  posted = [];
  annotations = {};
  server.use(
    http.get(api("applications/shop"), () => {
      const base = application("shop");
      return HttpResponse.json({
        ...base,
        metadata: { ...base.metadata, annotations },
        spec: { ...base.spec, syncPolicy: { automated: {} } },
        status: {
          ...base.status,
          history: [
            { id: 1, revision: OLD, source },
            { id: 2, revision: NOW, source },
          ],
        },
      });
    }),
    http.get(api("applications/shop/history"), () =>
      HttpResponse.json({
        items: [
          { result: "Failed", message: "no such field", revisions: [NOW], sources: [source], automated: true },
          item(2, NOW, { note: "note: hot fix" }),
          item(1, OLD),
        ],
      }),
    ),
    http.get(api("applications/shop/manifests"), ({ request }) => {
      const replicas = new URL(request.url).searchParams.get("revision") === OLD ? 1 : 2;
      const made = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas } };
      return HttpResponse.json({ manifests: [JSON.stringify(made)] });
    }),
    http.get(api("applications/shop/plan"), () =>
      HttpResponse.json({ revisions: [OLD], counts: { update: 1 }, risky: [], waves: [] }),
    ),
    http.post(api("applications/shop/rollback"), async ({ request }) => {
      posted.push(await request.json());
      return HttpResponse.json({});
    }),
    http.patch(api("applications/shop"), async ({ request }) => {
      posted.push(await request.json());
      return HttpResponse.json({});
    }),
  );
});

const AT = "/applications/argocd/shop?tab=history";

test("each row says what, who, why and how it ended", async () => {
  openApp(AT);
  const row = await screen.findByRole("row", { name: /Change 2/ });
  for (const text of ["0123456", "Bo", "web:2", "Succeeded", "12 s", "ada", "note: hot fix", "live"])
    expect(row).toHaveTextContent(text);
  const failed = screen.getByRole("row", { name: /no such field/ });
  expect(failed).toHaveTextContent("automatically");
  expect(within(failed).queryByRole("button")).not.toBeInTheDocument();
});

test("any two are compared, and which is in the address", async () => {
  const { router } = openApp(AT);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Compare sync 1" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "Compare sync 2" }));
  const compared = within(await screen.findByRole("region", { name: "Comparison" }));
  expect(compared.getByRole("heading", { name: "From aaaaaaa to 0123456" })).toBeVisible();
  expect(await compared.findByRole("row", { name: "went replicas: 1" })).toBeVisible();
  expect(compared.getByRole("row", { name: "came replicas: 2" })).toBeVisible();
  expect(compared.getByText("Images: web:1 became web:2")).toBeVisible();
  expect(router.state.location.search).toMatchObject({ compare: "1~2" });
});

test("going back says what happens, and holds for as long as was chosen", async () => {
  openApp(AT);
  await userEvent.click(await screen.findByRole("button", { name: "Go back to sync 1" }));
  const panel = within(await screen.findByRole("dialog", { name: "Go back to sync 1" }));
  expect(await panel.findByText(/pinned for 24 hours: what is newer in Git waits/)).toBeVisible();
  expect(await panel.findByText("1 updated · aaaaaaa")).toBeVisible();
  expect(panel.getByText(/git checkout aaaaaaa -- prod && git commit/)).toBeVisible();
  await userEvent.selectOptions(panel.getByLabelText("Held there"), "1 hour");
  expect(panel.getByText("plumb app rollback shop 1 --for 1h")).toBeVisible();
  await userEvent.click(panel.getByRole("button", { name: "Go back to sync 1" }));
  await waitFor(() => expect(posted).toEqual([{ id: 1, prune: false, heldFor: "1h", appNamespace: "argocd" }]));
});

test("who is held in the past sees it and can let go", async () => {
  annotations = { [PIN]: JSON.stringify({ revisions: [OLD], id: 1 }) };
  openApp(AT);
  const banner = within(await screen.findByRole("region", { name: "Rollback" }));
  expect(banner.getByText(/Held at aaaaaaa until the pin is taken away/)).toBeVisible();
  await userEvent.click(banner.getByRole("button", { name: "Take the pin away" }));
  await waitFor(() =>
    expect(posted).toMatchObject([{ patch: JSON.stringify({ metadata: { annotations: { [PIN]: null } } }) }]),
  );
});

test("a sync that is not there cannot be gone back to", async () => {
  openApp(`${AT}&drawer=rollback:argocd/shop/9`);
  expect(await screen.findByText("shop has no sync 9 to go back to.")).toBeVisible();
});

describe("words", () => {
  test.each([
    ["2026-01-01T10:00:00Z", "2026-01-01T10:03:05Z", "3 min 5 s"],
    ["2026-01-01T10:00:00Z", "2026-01-01T12:03:05Z", "2 h 3 min"],
    ["2026-01-01T10:00:00Z", "", ""],
    ["2026-01-01T10:00:00Z", "2026-01-01T09:00:00Z", ""],
  ])("%s to %s is %j", (startedAt, finishedAt, text) => expect(durationText({ startedAt, finishedAt })).toBe(text));
  test.each([
    ["reg:5000/team/web:1", "web:1"],
    [`web@sha256:${"f".repeat(64)}`, "web@fffffff"],
  ])("%s is %s", (image, text) => expect(imageText(image)).toBe(text));
  test("nobody known is unknown", () => {
    expect(actorText({})).toBe("unknown");
    expect(revisionText({})).toBe("no revision");
  });
});

test("at most two are chosen, and the older one is the beginning", () => {
  expect(chosenAfter(["1", "2"], "3", true)).toEqual(["2", "3"]);
  expect(chosenAfter(["1", "2"], "1", false)).toEqual(["2"]);
  expect(pairOf([{ id: 3 }, { id: 1 }], ["1", "3"])).toEqual([{ id: 1 }, { id: 3 }]);
  expect(pairOf([{ id: 3 }], ["3"])).toBeUndefined();
  expect(historySearch({ compare: 3 })).toEqual({ compare: ["3"] });
  expect(difference(["a", "b"], ["b", "c"])).toEqual({ gone: ["a"], come: ["c"] });
});

test("objects come, go and change", () => {
  const made = (name: string, value: number) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "n" }, value });
  const compared = comparedManifests(
    [made("a", 1), made("b", 1), made("d", 1)],
    [made("a", 2), made("c", 1), made("d", 1)],
  );
  expect(compared.map((each) => [each.title, each.state])).toEqual([
    ["ConfigMap n/a", "changed"],
    ["ConfigMap n/b", "removed"],
    ["ConfigMap n/c", "added"],
  ]);
});

describe("rollbacks", () => {
  test.each([
    [
      { path: "" },
      `git revert --no-edit aaaaaaa..0123456 && git push origin HEAD:main`,
      "a whole repository is reverted",
    ],
    [
      { path: "prod", targetRevision: "HEAD" },
      "git checkout aaaaaaa -- prod && git commit -m 'Go back to aaaaaaa' && git push origin HEAD",
      "only the folder of the application",
    ],
    [{ chart: "web" }, undefined, "charts are not in Git"],
  ])("%j", (more, command, _why) => {
    expect(revertCommands({ revisions: [OLD], sources: [{ ...source, ...more }] }, [NOW])[0]).toBe(command);
  });
  test("without automated syncs nothing is pinned", () => {
    expect(rollbackSentences(false, "24h").join()).not.toContain("pinned");
    expect(rollbackSentences(true, "").join()).toContain("pinned until somebody takes the pin away");
    expect(rollbackCommand("shop", 1, true, "", true)).toBe("plumb app rollback shop 1 --prune --forever");
    expect(rollbackCommand("shop", 1, false, "24h", false)).toBe("plumb app rollback shop 1");
  });
  test("pins end", () => {
    const pin = pinOf({ [PIN]: '{"revisions":["a"],"until":"2026-01-01T00:00:00Z"}' });
    expect(pin && pinHolds(pin, Date.parse("2026-01-02T00:00:00Z"))).toBe(false);
    expect(pinOf({ [PIN]: "{}" })).toBeUndefined();
    expect(pinOf(undefined)).toBeUndefined();
  });
});
