import { describe, expect, test } from "vitest";
import { chosenItems, kindsOf, sizeOf } from "./choice";
import { ignoreRule, ignoreText } from "./ignore";
import { hunksBetween } from "./lines";
import { objectTitle } from "./names";
import { keyIn, stepsOf } from "./paths";
import { MOST_ROWS, rowsOf } from "./rows";
import type { DiffItem, DiffLine } from "./wire";

const item = (lines: DiffLine[], more: Partial<DiffItem> = {}): DiffItem => ({
  group: "apps",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
  state: "OutOfSync",
  hunks: [{ beforeStart: 1, beforeLines: lines.length, afterStart: 1, afterLines: lines.length, lines }],
  ...more,
});

describe("rows", () => {
  test("each line knows its number on both sides", () => {
    const { rows } = rowsOf(
      item([
        { op: " ", text: "spec:" },
        { op: "-", text: "  replicas: 1" },
        { op: "+", text: "  replicas: 2" },
        { op: " ", text: "  paused: true" },
      ]),
    );
    expect(rows.map((row) => row.kind === "line" && [row.op, row.before, row.after])).toEqual([
      [" ", 1, 1],
      ["-", 2, undefined],
      ["+", undefined, 2],
      [" ", 3, 3],
    ]);
    expect(new Set(rows.map((row) => row.key)).size).toBe(4);
  });

  test("what only the server wrote is folded, next to what somebody did", () => {
    const { rows } = rowsOf(
      item([
        { op: " ", text: "a" },
        { op: " ", text: "b", default: true },
        { op: " ", text: "c", default: true },
        { op: "-", text: "d" },
      ]),
    );
    expect(rows.map((row) => (row.kind === "defaults" ? row.lines.map((line) => line.text) : row.kind))).toEqual([
      "line",
      ["b", "c"],
      "line",
    ]);
  });

  test("lines between hunks are counted", () => {
    const hunk = (start: number) => ({
      beforeStart: start,
      beforeLines: 1,
      afterStart: start,
      afterLines: 1,
      lines: [{ op: " ", text: "x" } as const],
    });
    const { rows } = rowsOf(item([], { hunks: [hunk(4), hunk(11)] }));
    expect(rows.map((row) => (row.kind === "gap" ? row.count : row.kind))).toEqual([3, "line", 6, "line"]);
  });

  test("of a Secret it is told whether a value changed, and nothing of the value", () => {
    const { rows } = rowsOf(
      item(
        [
          { op: " ", text: '  password: "++++++++"' },
          { op: "-", text: "  token: ++++++++" },
          { op: "+", text: "  token: ++++++++++++" },
          { op: " ", text: "  kind: Secret" },
        ],
        { group: "", kind: "Secret" },
      ),
    );
    expect(rows.map((row) => row.kind === "line" && [row.text, row.hidden])).toEqual([
      ["  password:", "equal"],
      ["  token:", "changed"],
      ["  token:", "changed"],
      ["  kind: Secret", undefined],
    ]);
    expect(JSON.stringify(rows)).not.toContain("+++");
  });

  test("more than anybody reads is cut, and said to be", () => {
    const lines = Array.from({ length: MOST_ROWS + 1 }, (): DiffLine => ({ op: "+", text: "x" }));
    expect(rowsOf(item(lines))).toMatchObject({ cut: true, rows: { length: MOST_ROWS } });
    expect(rowsOf(item([], { truncated: true })).cut).toBe(true);
  });
});

describe("a rule that ignores one field", () => {
  test.each([
    [".spec.replicas", "  replicas: 1", { jsonPointers: ["/spec/replicas"] }, "a pointer where one can say it"],
    [
      ".metadata.annotations.deployment.kubernetes.io/revision",
      '    deployment.kubernetes.io/revision: "3"',
      { jsonPointers: ["/metadata/annotations/deployment.kubernetes.io~1revision"] },
      "keys with dots and slashes are one step",
    ],
    [
      ".data.app.properties",
      "  app.properties: |",
      { jsonPointers: ["/data/app.properties"] },
      "keys of ConfigMaps have dots",
    ],
    [
      '.spec.template.spec.containers[name="web"].image',
      "        image: web:2",
      { jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "web") | .image'] },
      "items of lists are found by what is in them",
    ],
    [
      '.spec.ports[port=80,protocol="TCP"]',
      "  - port: 80",
      { jqPathExpressions: ['.spec.ports[] | select(.port == 80 and .protocol == "TCP")'] },
      "by several keys",
    ],
    [
      '.metadata.finalizers[="a/b"]',
      "  - a/b",
      { jqPathExpressions: ['.metadata.finalizers[] | select(. == "a/b")'] },
      "sets",
    ],
    [".spec.rules[0].host", "  - host: a", { jqPathExpressions: [".spec.rules[0].host"] }, "places in a list"],
    ['.spec.a["x"]', "", undefined, "what cannot be read makes no rule"],
  ])("%s", (path, text, expected, _why) => {
    const rule = ignoreRule({ group: "apps", kind: "Deployment", namespace: "shop", name: "web" }, path, text);
    if (expected) expect(rule).toMatchObject(expected);
    else expect(rule?.jsonPointers).toBeUndefined();
  });

  test("is YAML to paste, for this object alone", () => {
    const rule = ignoreRule({ kind: "Service", name: "web" }, ".spec.clusterIP", "clusterIP: 10.0.0.1");
    expect(rule && ignoreText(rule)).toBe(
      "ignoreDifferences:\n- kind: Service\n  name: web\n  jsonPointers:\n  - /spec/clusterIP\n",
    );
    expect(ignoreRule({ kind: "Service", name: "web" }, "", "---")).toBeUndefined();
  });

  test.each([
    ["- name: web", "name"],
    ['  "a: b": c', "a: b"],
    ["  'x': y", "x"],
    ["  a.b/c: d", "a.b/c"],
    ["  - plain text", ""],
    ["spec:", "spec"],
  ])("the key of %j is %j", (text, key) => expect(keyIn(text)).toBe(key));

  test("a path that ends in the middle is no path", () => expect(stepsOf("spec")).toEqual([]));
});

describe("choosing", () => {
  const items = [
    item([{ op: "-", text: "replicas: 1", managers: ["kubectl-scale"] }]),
    item([{ op: "+", text: "port: 80" }], { group: "", kind: "Service" }),
  ];
  test.each([
    [{}, 2],
    [{ q: "SCALE" }, 1],
    [{ q: "web service" }, 1],
    [{ q: "nothing" }, 0],
    [{ kind: "Service" }, 1],
    [{ object: "apps/Deployment/shop/web" }, 1],
  ])("%j finds %i", (choice, count) => expect(chosenItems(items, choice)).toHaveLength(count));

  test("kinds, sizes and titles", () => {
    expect(kindsOf(items)).toEqual(["Deployment", "Service"]);
    expect(items.map(sizeOf)).toEqual([
      { added: 0, removed: 1 },
      { added: 1, removed: 0 },
    ]);
    expect(objectTitle({ kind: "Namespace", name: "shop" })).toBe("Namespace shop");
  });
});

describe("two texts", () => {
  const text = (...lines: string[]) => `${lines.join("\n")}\n`;
  const shown = (before: string, after: string) =>
    hunksBetween(before, after).map((hunk) => hunk.lines.map((line) => `${line.op}${line.text}`).join("|"));

  test.each([
    ["", "", [], "nothing differs from nothing"],
    [text("a"), text("a"), [], "equal texts"],
    ["", text("a"), ["+a"], "all new"],
    [text("a"), "", ["-a"], "all gone"],
    [text("a", "b", "c"), text("a", "x", "c"), [" a|-b|+x| c"], "a line replaced"],
    [text("a", "b"), text("b", "a"), ["-a| b|+a"], "moved"],
  ])("%j to %j", (before, after, expected, _why) => expect(shown(before, after)).toEqual(expected));

  test("far changes are hunks of their own, with three lines around each", () => {
    const lines = Array.from({ length: 30 }, (_, place) => `line ${place}`);
    const changed = lines.with(5, "x").with(25, "y");
    const hunks = hunksBetween(text(...lines), text(...changed));
    expect(hunks.map(({ beforeStart, beforeLines }) => [beforeStart, beforeLines])).toEqual([
      [3, 7],
      [23, 7],
    ]);
  });

  test("either side can be made again from the lines, whatever they are", () => {
    let seed = 7;
    const next = (most: number) => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 200; round += 1) {
      const side = () => Array.from({ length: 1 + next(9) }, () => "abc"[next(3)] ?? "");
      const [old, young] = [side(), side()];
      const hunks = hunksBetween(old.join("\n"), young.join("\n"));
      for (const { beforeStart, beforeLines, afterStart, afterLines, lines } of hunks) {
        const made = (op: string) => lines.filter((line) => line.op === " " || line.op === op).map((line) => line.text);
        expect(made("-")).toEqual(old.slice(beforeStart - 1, beforeStart - 1 + beforeLines));
        expect(made("+")).toEqual(young.slice(afterStart - 1, afterStart - 1 + afterLines));
      }
      expect(hunks.length === 0).toBe(old.join("\n") === young.join("\n"));
    }
  });

  test("what is too long to be compared is shown as gone and new", () => {
    const many = (sign: string) => Array.from({ length: 2_100 }, (_, place) => `${sign}${place}`).join("\n");
    const [hunk] = hunksBetween(many("a"), many("b"));
    expect([hunk?.beforeLines, hunk?.afterLines]).toEqual([2_100, 2_100]);
  });
});
