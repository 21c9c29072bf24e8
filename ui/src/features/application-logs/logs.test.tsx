import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";

let asked: URLSearchParams[] = [];
const said = (result: object) => `data: ${JSON.stringify({ result })}\n\n`;
const line = (pod: string, second: number, content: string) =>
  said({ content, podName: pod, timeStampStr: `2026-01-01T10:00:0${second}.5Z` });
const END = said({ content: "", podName: "", last: true });

function answer(...pieces: string[]) {
  server.use(
    http.get(api("applications/shop/logs"), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return new HttpResponse(pieces.join(""), { headers: { "Content-Type": "text/event-stream" } });
    }),
  );
}

beforeEach(() => {
  asked = [];
  server.use(
    http.get(api("applications/shop"), () => HttpResponse.json(application("shop"))),
    http.get(api("applications/shop/resource-tree"), () =>
      HttpResponse.json({
        nodes: [
          { kind: "Deployment", group: "apps", name: "web", namespace: "shop", uid: "d" },
          { kind: "Pod", name: "web-1", namespace: "shop", uid: "p1", parentRefs: [{ uid: "d" }] },
          { kind: "Pod", name: "web-2", namespace: "shop", uid: "p2", parentRefs: [{ uid: "d" }] },
        ],
      }),
    ),
    http.get(api("applications/shop/resource"), ({ request }) => {
      const name = new URL(request.url).searchParams.get("resourceName");
      const again = { name: "app", restartCount: 1, state: { running: { startedAt: "2026-01-01T10:00:02Z" } } };
      const status = { containerStatuses: name === "web-1" ? [again] : [] };
      return HttpResponse.json({
        manifest: JSON.stringify({ metadata: { name }, spec: { containers: [{ name: "app" }] }, status }),
      });
    }),
  );
  answer(line("web-1", 1, "hello"), line("web-2", 3, "world"), END);
});

const AT = "/applications/argocd/shop?tab=logs&follow=no";

test("pods are merged, each with its name and colour, and restarts are marked in between", async () => {
  openApp(AT);
  const log = await screen.findByRole("log", { name: "Lines" });
  await waitFor(() => expect(log).toHaveTextContent(/web-1.*hello.*began again, restart 1.*web-2.*world/));
  expect(await screen.findByText("These are all lines. 2 lines.")).toBeVisible();
  expect(asked[0]?.get("tailLines")).toBe("500");
});

test("what was printed before a restart is offered", async () => {
  const { router } = openApp(AT);
  await userEvent.click(await screen.findByRole("button", { name: "See what was printed before" }));
  await waitFor(() => expect(asked.at(-1)?.get("previous")).toBe("true"));
  expect(router.state.location.search).toMatchObject({ previous: true });
});

test("the address says what is asked for", async () => {
  const { router } = openApp(AT);
  const person = userEvent.setup();
  await person.selectOptions(await screen.findByLabelText("Workload"), "Deployment shop/web");
  await waitFor(() => expect(asked.at(-1)?.get("resourceName")).toBe("web"));
  await person.selectOptions(screen.getByLabelText("Pod"), "web-2");
  await waitFor(() => expect(asked.at(-1)?.get("podName")).toBe("web-2"));
  await person.selectOptions(screen.getByLabelText("Since"), "last 1 hour");
  await waitFor(() => expect(asked.at(-1)?.get("sinceSeconds")).toBe("3600"));
  await person.type(screen.getByLabelText("Filter lines, then Enter"), "!debug{Enter}");
  await waitFor(() => expect(asked.at(-1)?.get("filter")).toBe("!debug"));
  expect(router.state.location.search).toEqual({
    tab: "logs",
    follow: "no",
    source: "apps/Deployment/shop/web",
    pod: "web-2",
    since: 3600,
    filter: "!debug",
  });
});

test("a stream that breaks off is asked for again from the last line, and nothing is doubled", async () => {
  answer(line("web-1", 1, "hello"));
  openApp("/applications/argocd/shop?tab=logs");
  expect(await screen.findByText(/The stream broke off. It is asked for again in 1 s/)).toBeVisible();
  answer(line("web-1", 1, "hello"), line("web-1", 2, "again"), END);
  expect(await screen.findByText(/The pods print no more. 2 lines/)).toBeVisible();
  expect(asked.at(-1)?.get("sinceTime")).toBe("2026-01-01T10:00:01.5Z");
  expect(asked.at(-1)?.has("tailLines")).toBe(false);
});

test("a line has an address of its own", async () => {
  const person = userEvent.setup();
  openApp(AT);
  await person.click(await screen.findByRole("button", { name: /Copy link to the line of 2026-01-01T10:00:01.5Z/ }));
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toContain("line=web-1%7E2026-01-01T10%3A00%3A01.5Z"),
  );
});

test("a link to a line shows that line", async () => {
  openApp(`${AT}&line=web-2~2026-01-01T10:00:03.5Z`);
  await waitFor(() => expect(document.querySelector("[aria-current=location]")).toHaveTextContent("world"));
  expect(asked[0]?.get("sinceTime")).toBe("2026-01-01T09:59:33.500Z");
});

test("pausing keeps what comes, and a file takes it along", async () => {
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
  const made = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
  openApp(AT);
  await screen.findByText(/2 lines/);
  await userEvent.click(screen.getByRole("button", { name: "Pause" }));
  expect(screen.getByText(/Paused. 2 lines/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Go on" }));
  await userEvent.click(screen.getByRole("button", { name: "Download" }));
  const [blob] = made.mock.calls[0] ?? [];
  expect(blob instanceof Blob && (await blob.text())).toBe(
    "2026-01-01T10:00:01.5Z web-1 hello\n2026-01-01T10:00:03.5Z web-2 world",
  );
});

test("a refusal is said, and so is having no pods", async () => {
  server.use(
    http.get(api("applications/shop/logs"), () =>
      HttpResponse.json({ message: "max pods to view logs are reached" }, { status: 400 }),
    ),
  );
  openApp(AT);
  expect(await screen.findByText(/max pods to view logs/)).toBeVisible();
});

test("an application without pods prints nothing", async () => {
  server.use(http.get(api("applications/shop/resource-tree"), () => HttpResponse.json({ nodes: [] })));
  openApp(AT);
  expect(await screen.findByText("shop has no pods that could print anything.")).toBeVisible();
});
