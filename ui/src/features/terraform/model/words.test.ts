import { expect, test } from "vitest";
import type { Approval, Danger, Terraform } from "./wire";
import { actionWord, isGrave, sentenceOf, shortDigest, signOf, tallyOf, tallySentence, valueText } from "./words";

const object = (said: Partial<Terraform> = {}): Terraform => ({
  namespace: "infra",
  name: "net",
  state: "applied",
  ...said,
});

test.each([
  [{}, "What is there is what the source says."],
  [{ plan: "plan-main-1", headline: "1 to add", state: "waiting" }, "1 to add"],
  [
    { plan: "p", headline: "3 to destroy", destroys: true, state: "waiting" },
    "A plan would destroy everything: 3 to destroy",
  ],
  [{ state: "failed", message: "init failed" }, "init failed"],
  [{ state: "working" }, "Nothing has been said about it yet."],
] as const)("%j is said as %j", (said, sentence) => {
  expect(sentenceOf(object(said))).toBe(sentence);
});

const approval = (by: string, decision = "Approve"): Approval => ({ by, decision, comment: "", at: "" });

test.each([
  [[], "Plan waits: 1 approval missing", "Nobody has approved it yet: 0 of 1 approval."],
  [[approval("ada")], "1 approval missing, approved by ada", "Approved by ada: 1 of 2 approvals."],
  [[], "a plan waits", "Nobody has approved it yet."],
  [[approval("ada"), approval("bob", "Reject")], "", "Rejected by bob."],
  [[approval("")], "2 approvals missing", "Approved by somebody: 1 of 3 approvals."],
])("%j and %j come to %j", (approvals, message, sentence) => {
  expect(tallySentence(tallyOf({ approvals, message }))).toBe(sentence);
});

const danger = (said: Partial<Danger>): Danger => ({
  kind: "destroy",
  severity: "low",
  address: "a.b",
  lost: "",
  sentence: "destroys a.b",
  ...said,
});

test("what is lost for good is grave", () => {
  expect([danger({}), danger({ severity: "high" }), danger({ lost: "a database" })].map(isGrave)).toEqual([
    false,
    true,
    true,
  ]);
});

test("actions have a word and a sign, also those that nobody knows", () => {
  expect(["delete", "replace", "create", "odd"].map(actionWord)).toEqual(["Destroy", "Replace", "Create", "odd"]);
  expect(["delete", "replace", "create", "odd"].map(signOf)).toEqual(["-", "±", "+", "?"]);
  expect(valueText(null)).toBe("(nothing)");
  expect(shortDigest("0123456789abcdef")).toBe("0123456789ab");
});
