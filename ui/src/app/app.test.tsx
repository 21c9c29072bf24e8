import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { openApp } from "../../tests/app";
import { api, application, listOf, server } from "../../tests/server";

test("the frame has every room, and one of them is current", async () => {
  openApp("/infra");
  const rooms = await screen.findByRole("navigation", { name: "Rooms" });
  const links = [...rooms.querySelectorAll("li a")].map((link) => link.textContent);
  expect(links).toEqual(["Apps", "Infra", "Terraform", "Changes", "Secrets", "Ownership", "Insights", "Settings"]);
  expect(screen.getByRole("link", { name: "Infra" })).toHaveAttribute("aria-current", "page");
});

test("nobody gets to the login page, and from there to where they wanted", async () => {
  let loggedIn = false;
  server.use(
    http.get(api("session/userinfo"), () => HttpResponse.json({ loggedIn })),
    http.get(api("settings"), () => HttpResponse.json({ oidcConfig: { name: "Keycloak" } })),
    http.post(api("session"), async ({ request }) => {
      const { password } = (await request.json()) as { password: string };
      loggedIn = password === "right";
      return loggedIn ? HttpResponse.json({ token: "t" }) : HttpResponse.json({ message: "no" }, { status: 401 });
    }),
  );
  const { router } = openApp("/applications?q=health:degraded");
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("User name"), "ada");
  expect(await screen.findByRole("link", { name: "Log in with Keycloak" })).toHaveAttribute(
    "href",
    expect.stringContaining("auth/login?return_url="),
  );
  await person.type(screen.getByLabelText("Password"), "wrong{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("do not go together");
  await person.clear(screen.getByLabelText("Password"));
  await person.type(screen.getByLabelText("Password"), "right{Enter}");
  expect(await screen.findByRole("heading", { name: "Applications" })).toBeVisible();
  expect(router.state.location.search).toEqual({ q: "health:degraded" });
});

test("the palette finds applications on the server and goes there", async () => {
  server.use(
    http.get(api("applications"), ({ request }) => {
      const asked = new URL(request.url).searchParams.get("q");
      return HttpResponse.json(listOf(asked === "name:pay" ? [application("pay-api")] : []));
    }),
    http.get(api("applications/pay-api"), () => HttpResponse.json(application("pay-api"))),
  );
  const { router } = openApp("/infra");
  const person = userEvent.setup();
  await screen.findByRole("heading", { name: "Infra" });
  await person.keyboard("/");
  await person.type(await screen.findByPlaceholderText(/Find an application/), "pay");
  await person.click(await screen.findByText("pay-api"));
  await waitFor(() => expect(router.state.location.pathname).toBe("/applications/argocd/pay-api"));
  expect(await screen.findByRole("heading", { name: "pay-api" })).toBeVisible();
});

test("keys lead to rooms and to the sheet that lists them", async () => {
  const { router } = openApp("/infra");
  const person = userEvent.setup();
  await screen.findByRole("heading", { name: "Infra" });
  await person.keyboard("gt");
  await waitFor(() => expect(router.state.location.pathname).toBe("/terraform"));
  await person.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keys" })).toHaveTextContent("Terraform");
});

test("the drawer is in the address, and closing it leaves the page", async () => {
  const { router } = openApp("/infra?drawer=nothing:x");
  const person = userEvent.setup();
  expect(await screen.findByText("Nothing here shows nothing:x.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(router.state.location.pathname).toBe("/infra");
});

test("an address that leads nowhere says so", async () => {
  openApp("/nowhere");
  expect(await screen.findByText("There is no page at this address.")).toBeVisible();
});

test("an application that may not be seen says so", async () => {
  server.use(
    http.get(api("applications/secret"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })),
  );
  openApp("/applications/argocd/secret");
  expect(await screen.findByText("secret may not be seen by you.")).toBeVisible();
});
