import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { api, server } from "../../tests/server";
import { address, get, onUnauthenticated, post } from "./client";

test("addresses leave out what was not asked", () => {
  expect(address("applications", { q: "", sort: undefined, offset: 0 })).toMatch(/\/api\/v1\/applications\?offset=0$/);
});

test("addresses are below the page's base, so that a prefix is kept", () => {
  const base = document.createElement("base");
  base.href = "/tools/plumbline/";
  document.head.append(base);
  expect(new URL(address("settings")).pathname).toBe("/tools/plumbline/api/v1/settings");
  base.remove();
});

test("whatever is written is written as JSON, which is what keeps other sites from writing", async () => {
  let type: string | null = null;
  server.use(
    http.post(api("session"), ({ request }) => {
      type = request.headers.get("content-type");
      return HttpResponse.json({});
    }),
  );
  await post("session", {});
  expect(type).toBe("application/json");
});

test("an ended session is told to whoever listens, a wrong password is not", async () => {
  const told = vi.fn();
  const stop = onUnauthenticated(told);
  const refusal = () => HttpResponse.json({ message: "no session" }, { status: 401 });
  server.use(http.get(api("applications"), refusal), http.post(api("session"), refusal));
  await expect(post("session", {})).rejects.toMatchObject({ status: 401 });
  expect(told).not.toHaveBeenCalled();
  await expect(get("applications")).rejects.toMatchObject({ status: 401, message: "no session" });
  expect(told).toHaveBeenCalledOnce();
  stop();
});

test("no answer at all has a sentence and a way on", async () => {
  server.use(http.get(api("settings"), () => HttpResponse.error()));
  await expect(get("settings")).rejects.toMatchObject({
    status: 0,
    unreachable: true,
    hint: expect.stringContaining("plumb up"),
  });
});

test("pages of proxies are not shown as messages", async () => {
  server.use(http.get(api("settings"), () => new HttpResponse("<html>Bad gateway</html>", { status: 502 })));
  await expect(get("settings")).rejects.toMatchObject({ message: "The server answered 502" });
});
