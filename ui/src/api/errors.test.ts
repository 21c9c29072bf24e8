import { expect, test } from "vitest";
import { ApiError, refusalOf } from "./errors";

test("Argo CD's refusals are read by their message", () => {
  expect(
    refusalOf(403, { error: "permission denied", code: 7, message: "permission denied: applications" }),
  ).toMatchObject({
    status: 403,
    message: "permission denied: applications",
  });
});

test("our own refusals keep reason, hint and code", () => {
  const said = { message: "The plan is not applied", why: "it is old", hint: "Run `plumb plan`.", code: "expired" };
  expect(refusalOf(409, said)).toMatchObject({
    message: "The plan is not applied: it is old",
    hint: "Run `plumb plan`.",
    code: "expired",
  });
});

test.each([null, "text", 7, [], { message: 3 }])("a body that says nothing (%j) still makes a sentence", (body) => {
  expect(refusalOf(500, body).message).toBe("The server answered 500");
});

test("what never arrived and what a proxy answers is unreachable, what the server refuses is not", () => {
  expect([0, 502, 503, 504, 500, 403].map((status) => new ApiError(status, "").unreachable)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
