import { beforeAll, describe, expect, test } from "vitest";
import { certificateOf, type Opener, opener, pemOf, REAL } from "../testing/opener";
import { element, fromPem, NotReadable, publicKeyInfo } from "./der";
import { labelOf, sealed, sealingKey } from "./envelope";
import { faultsOf, manifestOf, sealedResult, type Wish } from "./manifest";
import type { Certificate, Scope } from "./wire";

let key: Opener;
beforeAll(async () => {
  key = await opener();
});

const bytes = (text: string) => new TextEncoder().encode(text);
const certificate = (): Certificate => ({
  pem: key.pem,
  fingerprint: "SHA256:abc",
  bits: 2048,
  madeAt: "",
  expiresAt: "",
  expired: false,
});
const wish = (said: Partial<Wish> = {}): Wish => ({
  scope: "strict",
  namespace: "shop",
  name: "db",
  type: "",
  items: [{ key: "password", value: "hunter2" }],
  ...said,
});

describe("DER", () => {
  test.each([
    [[0x30], "it ends too early"],
    [[0x30, 0x03, 1, 2], "it ends too early"],
    [[0x30, 0x80, 0, 0], "a length cannot be read"],
    [[0x30, 0x85, 0, 0, 0, 0, 1, 1], "a length cannot be read"],
    [[0x30, 0x82, 1], "a length cannot be read"],
    [[0x30, 0x81, 0x05, 1, 2, 3, 4, 5], "a length is longer than it must be"],
    [[0x30, 0x82, 0, 200, ...new Array(200).fill(0)], "a length is longer than it must be"],
  ])("%j is refused: %s", (said, why) => {
    expect(() => element(Uint8Array.from(said))).toThrow(why);
  });

  test("long lengths are read", () => {
    const found = element(Uint8Array.from([0x04, 0x82, 1, 0, ...new Array(256).fill(7), 9]));
    expect([found.tag, found.content.length, found.whole.length, [...found.rest]]).toEqual([4, 256, 260, [9]]);
  });

  test.each([true, false])("the public key is found with a version: %s", (versioned) => {
    expect(publicKeyInfo(certificateOf(key.spki, versioned))).toEqual(key.spki);
  });

  test("whatever is cut off is refused, and nothing worse happens", () => {
    const whole = certificateOf(key.spki);
    for (let end = 0; end < whole.length; end += 1) {
      expect(() => publicKeyInfo(whole.slice(0, end))).toThrow(NotReadable);
    }
  });

  test.each([
    ["nothing", "", "there is no certificate in it"],
    ["another kind", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "there is no certificate in it"],
    ["half of base64", "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----", "it is not base64"],
    [
      "too much",
      `-----BEGIN CERTIFICATE-----\n${"A".repeat(300_000)}\n-----END CERTIFICATE-----`,
      "there is no certificate in it",
    ],
  ])("%s is refused as PEM", (_, pem, why) => {
    expect(() => fromPem(pem)).toThrow(why);
  });
});

describe("keys", () => {
  test("a real certificate is one to seal against, and the key does nothing else", async () => {
    const found = await sealingKey(REAL);
    expect([found.usages, found.extractable]).toEqual([["encrypt"], false]);
    expect(atob(await sealed(bytes("x"), found, bytes("a/b")))).toHaveLength(2 + 256 + 1 + 16);
  });

  test("a key that is too small is refused", async () => {
    await expect(sealingKey((await opener(1024)).pem)).rejects.toThrow("fewer than 2048 bits");
  });

  test("a key of another kind is refused", async () => {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
    await expect(sealingKey(pemOf(certificateOf(spki)))).rejects.toThrow("not one for RSA");
  });
});

describe("sealing", () => {
  test.each([
    ["strict", "shop/db"],
    ["namespace-wide", "shop"],
    ["cluster-wide", ""],
  ] as [Scope, string][])("%s opens with the label %j and with no other", async (scope, label) => {
    const text = await sealed(
      bytes("päss\nwörd"),
      await sealingKey(key.pem),
      labelOf({ scope, namespace: "shop", name: "db" }),
    );
    expect(text.startsWith("AQ")).toBe(true);
    expect(await key.open(text, label)).toBe("päss\nwörd");
    await expect(key.open(text, "other/db")).rejects.toThrow();
  });

  test("no two envelopes are alike", async () => {
    const rsa = await sealingKey(key.pem);
    expect(await sealed(bytes("x"), rsa, bytes(""))).not.toBe(await sealed(bytes("x"), rsa, bytes("")));
  });

  test("a large value is sealed as well", async () => {
    const large = "x".repeat(500_000);
    const text = await sealed(bytes(large), await sealingKey(key.pem), bytes("a/b"));
    expect((await key.open(text, "a/b")).length).toBe(large.length);
  });
});

describe("manifests", () => {
  test("what comes out is what plumb seal makes, and no value is in it", async () => {
    const result = await sealedResult(wish(), certificate());
    const text = /password: "([^"]+)"/.exec(result.yaml)?.[1] ?? "";
    expect(await key.open(text, "shop/db")).toBe("hunter2");
    expect(result.yaml).not.toContain("hunter2");
    expect(result.yaml.replace(text, "SEALED")).toBe(
      [
        "apiVersion: bitnami.com/v1alpha1",
        "kind: SealedSecret",
        "metadata:",
        "  name: db",
        "  namespace: shop",
        "  annotations:",
        '    plumbline.dev/sealed-with: "SHA256:abc"',
        "spec:",
        "  encryptedData:",
        '    password: "SEALED"',
        "  template:",
        "    metadata:",
        "      name: db",
        "      namespace: shop",
        "",
      ].join("\n"),
    );
    expect(result.lines).toBe(`    password: ${text}\n`);
    expect(result.commands[0]).toBe("git add db.sealedsecret.yaml");
  });

  test("a wider scope is said on the object and in its template", () => {
    const made = manifestOf(wish({ scope: "namespace-wide", type: "kubernetes.io/tls" }), { b: "2", a: "1" }, "f");
    const wide = { "sealedsecrets.bitnami.com/namespace-wide": "true" };
    expect(made).toMatchObject({
      metadata: { annotations: { ...wide, "plumbline.dev/sealed-with": "f" } },
      spec: { template: { metadata: { annotations: wide }, type: "kubernetes.io/tls" } },
    });
    expect(JSON.stringify(made)).toContain('"encryptedData":{"a":"1","b":"2"}');
  });

  test.each([
    ["nothing", {}, []],
    ["a namespace with capitals", { namespace: "Shop" }, ["namespace"]],
    ["a namespace with a slash", { namespace: "a/b" }, ["namespace"]],
    ["no name", { name: "" }, ["name"]],
    ["a type with a blank", { type: "a b" }, ["type"]],
    ["a key with a blank", { items: [{ key: "a b", value: "x" }] }, ["key-0"]],
    ["a key that is a folder", { items: [{ key: "..", value: "x" }] }, ["key-0"]],
    ["no value", { items: [{ key: "a", value: "" }] }, ["value-0"]],
    ["a key twice", { items: ["x", "y"].map((value) => ({ key: "a", value })) }, ["key-1"]],
    ["too much", { items: [{ key: "a", value: "ü".repeat(600_000) }] }, ["size"]],
  ])("what is wrong with %s is said of its field", (_, said, fields) => {
    expect(Object.keys(faultsOf(wish(said)))).toEqual(fields);
  });
});
