import { expect, test } from "vitest";
import { safeBack } from "./safe-back";

test.each(["/applications?q=a", "/infra", "/"])("%s is a way back", (back) => {
  expect(safeBack(back)).toBe(back);
});

test.each([
  undefined,
  "",
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "javascript:alert(1)",
  "/login?back=/login",
])("%s is not", (back) => {
  expect(safeBack(back)).toBe("/");
});
