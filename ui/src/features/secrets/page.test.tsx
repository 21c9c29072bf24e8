import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import type { SecretRow } from "./model/wire";

const ROW: SecretRow = {
  kind: "SealedSecret",
  group: "bitnami.com",
  namespace: "shop",
  name: "api-key",
  state: "wrong",
  said: "no key could decrypt secret",
  secret: "api-key",
  secretExists: false,
  keys: ["token", "url"],
  moreKeys: false,
  scope: "strict",
};
const KEY = {
  name: "sealed-secrets-keyabc",
  fingerprint: "SHA256:abc",
  madeAt: "2026-11-01T00:00:00Z",
  expiresAt: "2036-11-01T00:00:00Z",
  bits: 4096,
  active: true,
  newest: true,
  exportedAt: "",
};
const WARNING = "1 key exists nowhere but in this cluster: what is sealed is lost if the cluster is";

beforeEach(() => {
  server.use(
    http.get(api("secrets"), () => HttpResponse.json({ items: [ROW], counts: { total: 1, state: { wrong: 1 } } })),
    http.get(api("sealing/keys"), () =>
      HttpResponse.json({ items: [KEY], warning: WARNING, command: "plumb keys export" }),
    ),
    http.get(api("sealing/certificate"), () => HttpResponse.json({ message: "not yet" }, { status: 504 })),
    http.get(api("secrets/SealedSecret/shop/api-key"), () =>
      HttpResponse.json({
        ...ROW,
        usedBy: [{ kind: "Deployment", name: "web", how: "env", key: "password" }],
        unseen: ["Ingress"],
        application: { namespace: "argocd", name: "orders" },
        key: { fingerprint: "SHA256:old", known: false },
      }),
    ),
  );
});

async function expectAccessible() {
  // Nothing is laid out here, so that colours are looked at in a browser.
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([]);
}

test("secrets are listed by keys and state in words, and keys that exist nowhere else are warned of", async () => {
  const { router } = openApp("/secrets");
  const row = await screen.findByRole("row", { name: /^api-key/ });
  expect(within(row).getByText("Failing")).toBeVisible();
  expect(within(row).getByText("no key could decrypt secret")).toBeVisible();
  expect(within(row).getByText("token, url")).toBeVisible();
  expect(await screen.findByText(`${WARNING}.`)).toBeVisible();
  expect(screen.getByText("plumb keys export")).toBeVisible();
  expect(screen.getByRole("region", { name: "Sealing keys" })).toHaveTextContent(/The key that seals was made \d/);
  await expectAccessible();
  await userEvent.keyboard("o");
  await waitFor(() => expect(router.state.location.pathname).toBe("/secrets/SealedSecret/shop/api-key"));
});

test("whoever may not see the keys sees the secrets all the same", async () => {
  server.use(http.get(api("sealing/keys"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })));
  openApp("/secrets");
  expect(await screen.findByRole("row", { name: /^api-key/ })).toBeVisible();
  expect(screen.queryByRole("region", { name: "Sealing keys" })).not.toBeInTheDocument();
});

test("one secret shows who uses it, and what they miss", async () => {
  const { router } = openApp("/secrets/SealedSecret/shop/api-key");
  expect(await screen.findByText("Deployment web uses its key password as a variable")).toBeVisible();
  const keys = screen.getByRole("region", { name: "Keys" });
  expect(keys).toHaveTextContent("password is used and not there");
  expect(keys).toHaveTextContent("tokennobody names it");
  expect(screen.getByText("Could not be looked at: Ingress.")).toBeVisible();
  expect(screen.getByText("a key that is not here")).toBeVisible();
  await expectAccessible();
  await userEvent.click(screen.getByRole("link", { name: "Set anew the key token" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/secrets/seal"));
  expect(router.state.location.search).toEqual({ namespace: "shop", name: "api-key", key: "token" });
});

test("nothing found and nothing there are told apart", async () => {
  server.use(http.get(api("secrets"), () => HttpResponse.json({ items: [], counts: { total: 0 } })));
  const { router } = openApp("/secrets?q=zzz");
  await userEvent.click(await screen.findByRole("button", { name: "Show all secrets" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(await screen.findByText(/No secret comes from Git/)).toBeVisible();
});
