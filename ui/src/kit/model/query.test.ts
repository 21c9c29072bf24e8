import { expect, test } from "vitest";
import { chosen, cleared, passes, terms, toggled, written } from "./query";

test.each([
  ["", ""],
  ["pay", "pay"],
  ["health:degraded   -project:shop pay", "health:degraded -project:shop pay"],
  ['name:"a b" x', 'name:"a b" x'],
  ["project:a,b,", "project:a,b"],
])("%j is read and written as %j", (text, expected) => {
  expect(written(terms(text))).toBe(expected);
});

test.each([
  ["", "health:Degraded", "the first"],
  ["pay", "health:Degraded pay", "words stay last, for typing on"],
  ["health:Missing pay", "health:Missing,Degraded pay", "a second value is an or"],
  ["health:degraded,Missing", "health:Missing", "however it is spelt, it goes"],
  ["health:Degraded", "", "the last one takes the term along"],
  ["-health:Degraded", "-health:Degraded health:Degraded", "what is excluded is another term"],
])("toggling Degraded in %j gives %j: %s", (text, expected) => {
  expect(toggled(text, "health", "Degraded")).toBe(expected);
});

test("toggling twice is as if nothing had been", () => {
  for (const text of ["", "pay", "sync:OutOfSync pay", "health:Missing sync:Synced"]) {
    expect(
      toggled(toggled(text, "health", "Healthy"), "health", "Healthy")
        .split(" ")
        .sort(),
    ).toEqual(text.split(" ").sort());
  }
});

test("a facet is cleared without touching what it excludes", () => {
  expect(cleared("health:a,b -health:c x", "health")).toBe("-health:c x");
  expect(chosen("health:a,b -health:c x", "health")).toEqual(["a", "b"]);
});

test.each([
  ["", "shop", true],
  ["project:shop", "shop", true],
  ["project:shop", "Shop", false],
  ["project:sh*", "shop", true],
  ["project:a.b*", "aXb", false],
  ["-project:shop", "shop", false],
  ["project:shop,pay", "pay", true],
  ["project:*op -project:shop", "shop", false],
  ["health:degraded", "shop", true],
])("with %j the project %s is shown: %s", (text, project, expected) => {
  expect(passes(text, "project", project)).toBe(expected);
});
