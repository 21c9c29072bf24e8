import { describe, expect, test } from "vitest";
import type { Change } from "@/api/live/topics";
import { application, listOf } from "../../../../tests/server";
import { healthNews, pageOf, pagesFor, patched } from "./page";
import { rowOf, sourceText } from "./row";
import { commandFor, directionOf, listSearchOf, orderOf, shellQuoted, sortAfterClick } from "./search";
import { outcomeOf, refusedOutcome, summary } from "./sync";
import { sameView, viewsOf, withView } from "./views";

describe("rows", () => {
  test("are made of what an object has, however little that is", () => {
    expect(rowOf({ metadata: { name: "a" } })).toMatchObject({
      key: "/a",
      project: "default",
      health: "Unknown",
      sync: "Unknown",
      cluster: "",
    });
  });

  test("show commits short, and other revisions whole", () => {
    expect(rowOf(application("a")).revision).toBe("0123456");
    expect(rowOf({ metadata: { name: "a" }, status: { sync: { revision: "v1.2.3" } } }).revision).toBe("v1.2.3");
  });

  test.each([
    [{ repoURL: "https://git/team/shop.git", path: "overlays/prod" }, "shop/overlays/prod"],
    [{ repoURL: "git@git:shop.git", path: "." }, "shop"],
    [{ repoURL: "https://charts/", chart: "redis" }, "charts/redis"],
    [undefined, ""],
  ])("name the source %j as %s", (source, expected) => {
    expect(sourceText(source)).toBe(expected);
  });
});

describe("pages", () => {
  const page = pageOf(listOf([application("a"), application("b")]));
  const now = (name: string, health: string): Change => ({
    kind: "MODIFIED",
    key: `argocd/${name}`,
    object: application(name, { health }),
  });

  test("of a server that counts nothing count themselves", () => {
    expect(pageOf({ metadata: {}, items: [application("a")] }).counts.total).toBe(1);
    expect(pageOf({ metadata: {}, items: null })).toMatchObject({ rows: [], behind: "" });
  });

  test("take in what changed and leave the rest as it is", () => {
    const after = patched(page, [now("b", "Progressing"), now("b", "Degraded")]);
    expect(after.rows.map((row) => row.health)).toEqual(["Healthy", "Degraded"]);
    expect(after.rows[0]).toBe(page.rows[0]);
  });

  test("are the same page if nothing of theirs changed", () => {
    expect(patched(page, [now("z", "Degraded"), { kind: "DELETED", key: "argocd/a" }])).toBe(page);
  });

  test("have news only of health that is another now", () => {
    expect(healthNews(page, [now("a", "Healthy"), now("b", "Degraded"), now("z", "Missing")])).toEqual([
      "b is Degraded",
    ]);
  });

  test.each([
    [0, 0, [0]],
    [0, 99, [0]],
    [99, 100, [0, 100]],
    [250, 460, [200, 300, 400]],
    [-5, -1, [0]],
  ])("for the rows %i to %i begin at %j", (first, last, expected) => {
    expect(pagesFor(first, last)).toEqual(expected);
  });
});

describe("the address of a list", () => {
  test("keeps what it knows and drops the rest", () => {
    expect(listSearchOf({ q: 7, sort: "-health", view: "tiles", group: "project", extra: 1 })).toEqual({
      q: "7",
      sort: "-health",
      view: "tiles",
      group: "project",
    });
    expect(listSearchOf({ q: "", sort: "colour", view: "cards", group: "mood" })).toEqual({});
  });

  test("sorts by the group first", () => {
    expect([orderOf({}), orderOf({ sort: "-synced" }), orderOf({ sort: "health", group: "project" })]).toEqual([
      "",
      "-synced",
      "project,health",
    ]);
  });

  test("clicks on a column go up, down, and back to names", () => {
    expect(sortAfterClick(undefined, "health")).toBe("health");
    expect(sortAfterClick("health", "health")).toBe("-health");
    expect(sortAfterClick("-health", "health")).toBeUndefined();
    expect(sortAfterClick(undefined, "name")).toBe("-name");
    expect(sortAfterClick("-name", "name")).toBeUndefined();
    expect(directionOf(undefined, "name")).toBe("ascending");
  });

  test("is a command too, quoted for a shell", () => {
    expect(commandFor({})).toBe("plumb app list");
    expect(commandFor({ q: "project:shop,pay label:team=a" })).toBe(
      "plumb app list --project shop --project pay --selector team=a",
    );
    for (const q of ["health:degraded", "pay", "-project:shop", "project:sh*", "cluster:eu,us"]) {
      expect(commandFor({ q })).toBeUndefined();
    }
    expect(commandFor({ sort: "-synced" })).toBeUndefined();
    expect(shellQuoted("it's $HOME")).toBe(`'it'\\''s $HOME'`);
  });
});

describe("saved views", () => {
  test("are read with care", () => {
    expect(viewsOf([{ name: "mine", search: { q: "x", sort: "evil" } }, { name: "" }, 3, null])).toEqual([
      { name: "mine", search: { q: "x" } },
    ]);
    expect(viewsOf("x")).toEqual([]);
  });

  test("are replaced under their name", () => {
    const views = withView([{ name: "a", search: {} }], { name: "a", search: { q: "x" } });
    expect(views).toEqual([{ name: "a", search: { q: "x" } }]);
    expect(sameView({ q: "x" }, { q: "x" })).toBe(true);
    expect(sameView({ q: "x" }, { q: "x", view: "tiles" })).toBe(false);
  });
});

test("a dry run is summed up in one sentence", () => {
  const planned = outcomeOf("argocd/a", {
    metadata: { name: "a" },
    status: {
      resources: [{ status: "OutOfSync" }, { status: "OutOfSync", requiresPruning: true }, { status: "Synced" }],
    },
  });
  const refused = refusedOutcome("argocd/b", "b", "permission denied");
  expect(summary([planned, refused], { dryRun: true, prune: false })).toBe(
    "1 application can be synced; 1 object would be created or changed; 1 object left to prune; 1 refused",
  );
  expect(summary([planned], { dryRun: false, prune: true })).toBe(
    "1 sync started; 1 object to be created or changed; 1 object pruned",
  );
});
