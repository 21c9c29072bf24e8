import { expect, test } from "vitest";
import { happenings } from "./history";
import type { Entry } from "./wire";

const entry = (id: string, kind: string, summary: string, at: string): Entry => ({
  id,
  kind,
  summary,
  at,
  verb: "run",
  by: "controller:terraform",
  cause: "",
});

test("what was meant and done is told once, among what people said, the newest first", () => {
  const told = happenings(
    [
      entry("4", "intended", "Destroying", "2026-11-16T04:30:00.000000+00:00"),
      entry("3", "performed", "Applying", "2026-11-16T04:27:30.250442+00:00"),
      entry("2", "intended", "Applying", "2026-11-16T04:27:30.239047+00:00"),
      entry("1", "failed", "Planning", "2026-11-16T04:18:22+00:00"),
    ],
    [
      { by: "ada", decision: "Approve", comment: "seen", at: "2026-11-16T04:27:00Z", plan: "a".repeat(64) },
      { by: "bob", decision: "Reject", comment: "", at: "2026-11-16T04:20:00Z" },
    ],
  );
  expect(told.map((each) => [each.by, each.said, each.comment])).toEqual([
    ["controller:terraform", "Destroying (intended)", ""],
    ["controller:terraform", "Applying", ""],
    ["person:ada", "Approved plan aaaaaaaaaaaa", "seen"],
    ["person:bob", "Rejected plan ", ""],
    ["controller:terraform", "Planning (failed)", ""],
  ]);
});
