import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openApp } from "../../../../tests/app";
import { api, server } from "../../../../tests/server";
import { type Opener, opener } from "../testing/opener";

const VALUE = "correct horse battery staple";
let key: Opener;
let sent: string[] = [];

beforeAll(async () => {
  key = await opener();
});

const note = async ({ request }: { request: Request }) => {
  sent.push(`${request.method} ${request.url} ${[...request.headers].join()} ${await request.clone().text()}`);
};

beforeEach(() => {
  sent = [];
  server.events.on("request:start", note);
  server.use(certificate());
});
afterEach(() => server.events.removeListener("request:start", note));

const certificate = (said = {}) =>
  http.get(api("sealing/certificate"), () =>
    HttpResponse.json({
      pem: key.pem,
      fingerprint: "SHA256:abc",
      bits: 2048,
      madeAt: "2026-11-01T00:00:00Z",
      expiresAt: "2036-11-01T00:00:00Z",
      expired: false,
      ...said,
    }),
  );

test("what is typed is sealed here: it opens with the private key, and it was never sent or kept", async () => {
  const { router } = openApp("/secrets/seal?namespace=shop&name=db");
  const person = userEvent.setup();
  const stored = [vi.spyOn(Storage.prototype, "setItem"), vi.spyOn(history, "replaceState")];
  await person.type(await screen.findByLabelText("Key 1"), "password");
  await person.type(screen.getByLabelText("Value 1"), VALUE);
  await person.click(screen.getByRole("button", { name: "Seal" }));

  const result = await screen.findByRole("region", { name: "What was sealed" });
  const yaml = result.querySelector("pre")?.textContent ?? "";
  const text = /password: "([^"]+)"/.exec(yaml)?.[1] ?? "";
  expect(await key.open(text, "shop/db")).toBe(VALUE);
  await expect(key.open(text, "shop/other")).rejects.toThrow();

  expect(screen.getByLabelText("Value 1")).toHaveValue("");
  expect(document.documentElement.outerHTML).not.toContain(VALUE);
  expect(sent.length).toBeGreaterThan(0);
  for (const word of [VALUE, btoa(VALUE), encodeURIComponent(VALUE)]) {
    expect(sent.join("\n")).not.toContain(word);
    expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }, router.state.location])).not.toContain(word);
    expect(JSON.stringify(stored.flatMap((spy) => spy.mock.calls))).not.toContain(word);
  }
  expect(sent.filter((request) => !request.startsWith("GET "))).toEqual([]);
  expect(document.activeElement).toHaveTextContent("1 value sealed");
  expect(within(result).getByText("git add db.sealedsecret.yaml")).toBeVisible();
});

test("scopes are explained, and the chosen one binds the value", async () => {
  openApp("/secrets/seal?namespace=shop&name=db&key=token&scope=namespace-wide");
  const person = userEvent.setup();
  const chosen = await screen.findByRole("radio", { name: /Any Secret of the namespace/ });
  expect(chosen).toBeChecked();
  expect(screen.getByText(/open under this very name and namespace/)).toBeVisible();
  await person.type(screen.getByLabelText("Value 1"), VALUE);
  await person.click(screen.getByRole("button", { name: "Seal" }));
  const result = await screen.findByRole("region", { name: "What was sealed" });
  const yaml = result.querySelector("pre")?.textContent ?? "";
  expect(yaml).toContain('sealedsecrets.bitnami.com/namespace-wide: "true"');
  expect(await key.open(/token: "([^"]+)"/.exec(yaml)?.[1] ?? "", "shop")).toBe(VALUE);
});

test("what cannot be sealed says why, field by field, and keeps what was typed", async () => {
  openApp("/secrets/seal");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Another key" }));
  await person.type(screen.getByLabelText("Value 1"), "x");
  await person.click(screen.getByRole("button", { name: "Seal" }));
  expect(screen.getByLabelText("Namespace")).toBeInvalid();
  expect(screen.getByLabelText("Key 2")).toBeInvalid();
  expect(screen.getByText("There is no value to seal.")).toBeVisible();
  expect(screen.getByLabelText("Value 1")).toHaveValue("x");
  await person.click(screen.getByRole("button", { name: "Remove key 2" }));
  expect(screen.queryByLabelText("Key 2")).not.toBeInTheDocument();
  // Nothing is laid out here, so that colours are looked at in a browser.
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([]);
});

test("values are hidden until somebody wants to see them, and browsers are told to leave them alone", async () => {
  openApp("/secrets/seal");
  const value = await screen.findByLabelText("Value 1");
  expect(value.className).toContain("text-security");
  expect(value).toHaveAttribute("spellcheck", "false");
  expect(value).toHaveAttribute("autocomplete", "off");
  await userEvent.click(screen.getByRole("button", { name: "Show values" }));
  expect(value.className).not.toContain("text-security");
});

test("against an expired certificate nothing is sealed", async () => {
  server.use(certificate({ expired: true }));
  openApp("/secrets/seal");
  expect(await screen.findByText(/has expired: nothing is sealed/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Seal" })).not.toBeInTheDocument();
});

test("what is no certificate is refused, and what was typed stays", async () => {
  server.use(certificate({ pem: "nothing" }));
  openApp("/secrets/seal?namespace=shop&name=db&key=a");
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("Value 1"), "x");
  await person.click(screen.getByRole("button", { name: "Seal" }));
  expect(await screen.findByText("It could not be sealed: there is no certificate in it.")).toBeVisible();
  expect(screen.getByLabelText("Value 1")).toHaveValue("x");
});

test("a page that came over a plain connection says that it cannot seal", async () => {
  vi.stubGlobal("isSecureContext", false);
  openApp("/secrets/seal");
  expect(await screen.findByText(/keeps its cryptography from pages/)).toBeVisible();
  await waitFor(() => expect(screen.queryByLabelText("Value 1")).not.toBeInTheDocument());
  vi.unstubAllGlobals();
});
