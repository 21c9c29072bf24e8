import { expect, test } from "vitest";
import type { SecretRow, Use } from "./wire";
import { missingKeys, originOf, scopeTitle, setCommand, unusedKeys, usageOf } from "./words";

const row: SecretRow = {
  kind: "SealedSecret",
  group: "bitnami.com",
  namespace: "shop",
  name: "db",
  state: "well",
  said: "",
  secret: "db",
  secretExists: true,
  keys: ["password", "user"],
  moreKeys: false,
};
const use = (key?: string): Use => ({ kind: "Deployment", name: "web", how: "env", ...(key ? { key } : {}) });

test("keys that are used and not there are missing, unless a store may have them", () => {
  expect(missingKeys(row, [use("token"), use("password")])).toEqual(["token"]);
  expect(missingKeys({ ...row, moreKeys: true }, [use("token")])).toEqual([]);
});

test("keys that nobody names are unused, unless somebody uses all", () => {
  expect(unusedKeys(row, [use("password")])).toEqual(["user"]);
  expect(unusedKeys(row, [use("password"), use()])).toEqual([]);
  expect(unusedKeys(row, [])).toEqual([]);
});

test("uses, origins and commands are said in words", () => {
  expect(usageOf(use("password"))).toBe("Deployment web uses its key password as a variable");
  expect(usageOf({ ...use(), how: "odd" })).toBe("Deployment web uses it odd");
  expect(originOf(row)).toBe("sealed in Git, this secret only");
  expect(originOf({ ...row, kind: "ExternalSecret", store: "SecretStore/vault" })).toBe("SecretStore/vault");
  expect(scopeTitle("cluster-wide")).toBe("Any Secret of the cluster");
  expect(setCommand(row)).toBe("plumb secret set FILE KEY --name db -n shop");
});
