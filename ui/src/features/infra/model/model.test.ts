import { expect, test } from "vitest";
import { type Listed, listSearch, wholeOf } from "./listing";
import type { Claim } from "./wire";
import { claimAddress, claimSentence, conditionWord, partsSaid, stateWord, treeCommand } from "./words";

const claim = (said: Partial<Claim> = {}): Claim => ({
  group: "platform.example",
  kind: "Database",
  namespace: "shop",
  name: "db",
  state: "well",
  ...said,
});

test.each([
  [{}, "Ready", "Everything that was asked for is there."],
  [{ state: "wrong", message: "quota exceeded" }, "Failing", "quota exceeded"],
  [{ state: "waiting", reason: "Creating" }, "Waiting", "Creating"],
  [{ state: "waiting" }, "Waiting", "Nothing has been said about it yet."],
  [{ state: "wrong", paused: true }, "Paused", "It is paused: nobody looks after it until that annotation is gone."],
  [{ deletedAt: "now" }, "Being deleted", "It is being deleted, and with it what it made."],
] as const)("%j is said as %s: %s", (said, word, sentence) => {
  expect(stateWord(claim(said))).toBe(word);
  expect(claimSentence(claim(said))).toBe(sentence);
});

test("addresses and commands name things whole", () => {
  expect(claimAddress(claim())).toBe("platform.example/Database/shop/db");
  expect(claimAddress(claim({ namespace: "" }))).toBe("platform.example/Database/-/db");
  expect(treeCommand(claim())).toBe("plumb tree database.platform.example/db -n shop");
  expect(treeCommand({ kind: "X", name: "y" })).toBe("plumb tree x/y");
});

test.each([
  ["True", "Ready"],
  ["False", "Not ready"],
  ["Unknown", "Ready unknown"],
  [undefined, "Ready unknown"],
])("a condition of status %s is %j", (status, word) => {
  expect(conditionWord("Ready", status)).toBe(word);
});

test("pages are one list, of which the newest knows the counts", () => {
  const page = (name: string, total: number): Listed<Claim> => ({
    items: [claim({ name })],
    counts: { total, state: { wrong: 1, "": 2, well: total } },
  });
  const whole = wholeOf([page("a", 2), page("b", 3)]);
  expect(whole.rows.map((row) => row.name)).toEqual(["a", "b"]);
  expect(whole.total).toBe(3);
  expect(whole.values("state")).toEqual([
    ["well", 3],
    ["wrong", 1],
  ]);
  expect(whole.values("nothing")).toEqual([]);
  expect(wholeOf([])).toMatchObject({ rows: [], total: 0, served: true, stale: "" });
});

test("an address holds what is not as usual", () => {
  const read = listSearch(["name", "-created"]);
  expect(read({ q: 7, sort: "-created", other: 1 })).toEqual({ q: "7", sort: "-created" });
  expect(read({ q: "", sort: "colour" })).toEqual({});
});

test("what cannot make its parts is not said to be making them", () => {
  expect(partsSaid({ parts: "loading", state: "waiting" })).toBe("Its parts are still being made.");
  expect(partsSaid({ parts: "loading", state: "wrong" })).toBe("It has no parts yet, for the reason that it gives.");
  expect(partsSaid({ parts: "none", state: "wrong" })).toBe("");
});
