import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { preferences } from "@/app/preferences";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";

const SHOP = "https://git.example.org/shop.git";
const PROJECT = {
  metadata: { name: "production", namespace: "argocd" },
  spec: {
    description: "What customers see",
    sourceRepos: [SHOP],
    destinations: [{ server: "*", namespace: "shop" }],
    roles: [
      {
        name: "deployer",
        groups: ["team"],
        policies: ["p, proj:production:deployer, applications, sync, production/*, allow"],
        jwtTokens: [{ id: "ci", iat: 1_700_000_000 }],
      },
    ],
    syncWindows: [{ kind: "deny", schedule: "0 22 * * *", duration: "8h" }],
  },
};

let sent: { method: string; path: string; body: unknown }[] = [];
const note = async (request: Request) => {
  const text = await request.text();
  sent.push({ method: request.method, path: new URL(request.url).pathname, body: text ? JSON.parse(text) : null });
};

beforeEach(() => {
  sent = [];
  server.use(
    http.get(api("repositories"), () =>
      HttpResponse.json({
        items: [{ repo: SHOP, type: "git", connectionState: { status: "Failed", message: "no route to host" } }],
      }),
    ),
    http.get(api("repositories/:repo"), () =>
      HttpResponse.json({ repo: SHOP, connectionState: { status: "Successful" } }),
    ),
    http.get(api("account/can-i/:resource/:action/:object"), () =>
      HttpResponse.json({
        value: "yes",
        line: "p, role:admin, *, *, */*, allow",
        why: "allowed by the built-in policy",
      }),
    ),
    http.get(api("projects"), () => HttpResponse.json({ items: [PROJECT] })),
    http.get(api("projects/production/detailed"), () => HttpResponse.json({ project: PROJECT })),
    http.get(api("projects/production/syncwindows"), () => HttpResponse.json({ windows: PROJECT.spec.syncWindows })),
    http.get(api("account"), () =>
      HttpResponse.json({
        items: [
          {
            name: "ada",
            enabled: true,
            capabilities: ["apiKey", "login"],
            tokens: [{ id: "ci", issuedAt: 1_700_000_000 }],
          },
        ],
      }),
    ),
    http.get("*/api/version", () => HttpResponse.json({ Version: "v1.2.3", Platform: "linux/x86_64" })),
  );
});

test("settings open at the repositories, which say whether they connect and why not", async () => {
  const { router } = openApp("/settings");
  const row = await screen.findByRole("row", { name: /shop\.git/ });
  expect(router.state.location.pathname).toBe("/settings/repositories");
  expect(within(row).getByText("Does not connect")).toBeVisible();
  expect(within(row).getByText("no route to host")).toBeVisible();
});

test("a repository is connected step by step, and its password goes to the server alone", async () => {
  server.use(
    http.post(api("repositories/:repo/validate"), async ({ request }) => {
      await note(request);
      return HttpResponse.json({});
    }),
    http.post(api("repositories"), async ({ request }) => {
      await note(request);
      return HttpResponse.json({});
    }),
  );
  const { router } = openApp("/settings/repositories");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Connect a repository" }));
  await person.type(await screen.findByLabelText("Address"), "https://git.example.org/new.git");
  await person.type(screen.getByLabelText("Password or token"), "hunter2");
  await person.click(screen.getByRole("button", { name: "Test and save" }));
  const steps = await screen.findByRole("list", { name: "Connection test" });
  await waitFor(() => expect(within(steps).getAllByText("Yes")).toHaveLength(5));
  expect(sent.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)).toEqual([
    "POST /api/v1/repositories/https://git.example.org/new.git/validate",
    "POST /api/v1/repositories",
  ]);
  expect(sent[1]?.body).toMatchObject({ repo: "https://git.example.org/new.git", password: "hunter2" });
  expect(router.state.location.href).not.toContain("hunter2");
});

test("where the credentials are wrong, the step says why and nothing is saved", async () => {
  server.use(
    http.post(api("repositories/:repo/validate"), () =>
      HttpResponse.json({ message: "authentication required" }, { status: 400 }),
    ),
  );
  openApp("/settings/repositories");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Connect a repository" }));
  await person.type(await screen.findByLabelText("Address"), SHOP);
  await person.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText("authentication required")).toBeVisible();
  expect(screen.getAllByText("Not yet")).toHaveLength(2);
});

test("replacing one that has credentials asks for them again, since saving replaces all of it", async () => {
  openApp("/settings/repositories");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: `Edit ${SHOP}` }));
  await person.click(await screen.findByRole("button", { name: "Test and save" }));
  expect(await screen.findByText(/Type them again/)).toBeVisible();
  expect(screen.queryByRole("list", { name: "Connection test" })).not.toBeInTheDocument();
});

test("one is forgotten after a question", async () => {
  server.use(
    http.delete(api("repositories/:repo"), async ({ request }) => {
      await note(request);
      return HttpResponse.json({});
    }),
  );
  openApp("/settings/repositories");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: `Forget ${SHOP}` }));
  await person.click(await screen.findByRole("button", { name: "Forget it" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(sent.map((each) => each.method)).toEqual(["DELETE"]);
});

test("clusters are listed, and one is read in the drawer", async () => {
  const { router } = openApp("/settings/clusters");
  await userEvent.click(await screen.findByRole("button", { name: "eu" }));
  expect(await screen.findByRole("dialog", { name: "Cluster https://eu" })).toBeVisible();
  expect(router.state.location.search).toEqual({ drawer: "cluster:https://eu" });
});

test("a project shows what it allows, its windows, and the YAML that sets it", async () => {
  openApp("/settings/projects");
  await userEvent.click(await screen.findByRole("link", { name: "production" }));
  expect(await screen.findByText("every cluster, namespace shop")).toBeVisible();
  expect(await screen.findByText("Denies now")).toBeVisible();
  expect(screen.getByText("The YAML that sets the project production")).toBeVisible();
});

test("a token of a role is shown once", async () => {
  server.use(
    http.post(api("projects/production/roles/deployer/token"), async ({ request }) => {
      await note(request);
      return HttpResponse.json({ token: "eyJ.once" });
    }),
  );
  openApp("/settings/projects/production");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "New token for deployer" }));
  await person.click(await screen.findByRole("button", { name: "Make the token" }));
  expect(await screen.findByLabelText("Token")).toHaveValue("eyJ.once");
  expect(sent[0]?.body).toEqual({ id: "", expiresIn: 2_592_000 });
  await person.click(screen.getByRole("button", { name: "I have kept it" }));
  await waitFor(() => expect(screen.queryByDisplayValue("eyJ.once")).not.toBeInTheDocument());
});

test("a token is revoked by its id, and a refusal keeps the question open", async () => {
  server.use(
    http.delete(api("projects/production/roles/deployer/token/:iat"), async ({ request }) => {
      expect(new URL(request.url).searchParams.get("id")).toBe("ci");
      return HttpResponse.json({ message: "permission denied" }, { status: 403 });
    }),
  );
  openApp("/settings/projects/production");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Revoke ci" }));
  await person.click(await screen.findByRole("button", { name: "Revoke it" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("permission denied");
});

test("the simulator answers for oneself by the server, with the deciding line", async () => {
  const { router } = openApp("/settings/permissions");
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("Which one"), "production/web");
  await person.click(screen.getByRole("button", { name: "Ask" }));
  const answer = await screen.findByRole("region", { name: "Answer" });
  expect(within(answer).getByText("p, role:admin, *, *, */*, allow")).toBeVisible();
  expect(router.state.location.search).toMatchObject({ object: "production/web" });
});

test("the simulator answers for a role by its project, and says what it does not know", async () => {
  openApp("/settings/permissions?who=team&resource=applications&action=delete&object=production/web");
  expect(await screen.findByText(/team may not delete/)).toBeVisible();
  expect(screen.getByText(/argocd-rbac-cm may say more/)).toBeVisible();
});

test("one's own password is changed, and a wrong one is told", async () => {
  server.use(
    http.put(api("account/password"), async ({ request }) => {
      await note(request);
      return HttpResponse.json({ message: "current password does not match" }, { status: 400 });
    }),
  );
  openApp("/settings/accounts");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Change your password" }));
  await person.type(await screen.findByLabelText("Current password"), "old");
  await person.type(screen.getByLabelText("New password"), "new-password");
  await person.type(screen.getByLabelText("New password again"), "other");
  await person.click(screen.getByRole("button", { name: "Change it" }));
  expect(await screen.findByText("The two new passwords differ.")).toBeVisible();
  await person.clear(screen.getByLabelText("New password again"));
  await person.type(screen.getByLabelText("New password again"), "new-password");
  await person.click(screen.getByRole("button", { name: "Change it" }));
  expect(await screen.findByText("current password does not match")).toBeVisible();
  expect(sent[0]?.body).toEqual({ name: "ada", currentPassword: "old", newPassword: "new-password" });
});

test("tokens of accounts are made and listed", async () => {
  server.use(http.post(api("account/ada/token"), () => HttpResponse.json({ token: "eyJ.mine" })));
  openApp("/settings/accounts");
  const person = userEvent.setup();
  expect(await screen.findByRole("list", { name: "Tokens of ada" })).toBeVisible();
  await person.click(screen.getByRole("button", { name: "New token for ada" }));
  await person.click(await screen.findByRole("button", { name: "Make the token" }));
  expect(await screen.findByLabelText("Token")).toHaveValue("eyJ.mine");
});

test("appearance is chosen and kept", async () => {
  openApp("/settings/appearance");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("radio", { name: "Dark" }));
  await person.click(screen.getByRole("checkbox", { name: "High contrast" }));
  await person.click(screen.getByRole("radio", { name: /Compact/ }));
  expect(preferences.get()).toMatchObject({ theme: "dark", contrast: true, density: "compact" });
  preferences.set((before) => ({ ...before, theme: "system", contrast: false, density: "comfortable" }));
});

test("about tells the version and what is simulated", async () => {
  openApp("/settings/about");
  expect(await screen.findByText("v1.2.3")).toBeVisible();
  expect(screen.getByText(/plumbline.dev\/simulated/)).toBeVisible();
});

test("what may not be seen says so", async () => {
  server.use(http.get(api("projects"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })));
  openApp("/settings/projects");
  expect(await screen.findByText("The projects may not be seen by you.")).toBeVisible();
});
