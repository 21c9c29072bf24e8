import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, application, server } from "../../../tests/server";
import { diffSentence, stampOf } from "./model/search";
import { sideText } from "./model/sides";

let asked: URLSearchParams[] = [];
const lines = [
  { op: " ", text: "spec:", path: ".spec" },
  { op: " ", text: "  minReadySeconds: 0", path: ".spec.minReadySeconds", default: true },
  { op: "-", text: "  replicas: 5", path: ".spec.replicas", managers: ["kubectl-scale"] },
  { op: "+", text: "  replicas: 2", path: ".spec.replicas", managers: ["kubectl-scale"] },
];
const hunk = (some: object[]) => ({ beforeStart: 1, beforeLines: 3, afterStart: 1, afterLines: 3, lines: some });
const WEB = {
  group: "apps",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
  state: "OutOfSync",
  changes: [{ path: ".spec.replicas", change: "changed", managers: ["kubectl-scale"] }],
  hunks: [hunk(lines)],
};
const KEY = {
  kind: "Secret",
  namespace: "shop",
  name: "key",
  state: "OutOfSync",
  hunks: [
    hunk([
      { op: " ", text: "  user: ++++++++" },
      { op: "-", text: "  password: ++++++++" },
      { op: "+", text: "  password: ++++++++++++" },
    ]),
  ],
};

beforeEach(() => {
  asked = [];
  server.use(
    http.get(api("applications/shop"), () => HttpResponse.json(application("shop", { sync: "OutOfSync" }))),
    http.get(api("applications/shop/diff"), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.json({ status: "OutOfSync", items: [WEB, KEY] });
    }),
    http.get(api("applications/shop/managed-resources"), () =>
      HttpResponse.json({
        items: [
          { targetState: '{"kind":"Deployment"}', liveState: "null", predictedLiveState: '{"kind":"Deployment"}' },
        ],
      }),
    ),
  );
});

const AT = "/applications/argocd/shop?tab=diff";

test("each changed line says who holds its field, and defaults are folded", async () => {
  openApp(AT);
  const web = within(await screen.findByRole("region", { name: "Deployment shop/web" }));
  expect(web.getByRole("row", { name: /goes.*replicas: 5.*held by kubectl-scale/ })).toBeVisible();
  expect(web.queryByText(/minReadySeconds/)).not.toBeInTheDocument();
  await userEvent.click(web.getByRole("button", { name: "1 default that the server filled in" }));
  expect(web.getByText(/minReadySeconds/)).toBeVisible();
  expect(screen.getByText(/2 objects differ from Git/)).toBeVisible();
});

test("a line is copied as a rule that ignores it", async () => {
  const person = userEvent.setup();
  openApp(AT);
  const [button] = await screen.findAllByRole("button", { name: "Copy as ignoreDifferences: .spec.replicas" });
  await person.click(button as HTMLElement);
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toContain("  jsonPointers:\n  - /spec/replicas\n"),
  );
});

test("of secrets it is only said what is equal and what changed", async () => {
  openApp(AT);
  const key = within(await screen.findByRole("region", { name: "Secret shop/key" }));
  expect(key.getByText("equal, not shown")).toBeVisible();
  expect(key.getAllByText("changed, not shown")).toHaveLength(2);
  expect(key.queryByText(/\+\+\+\+/)).not.toBeInTheDocument();
});

test("filters are in the address, and all objects are asked of the server", async () => {
  const { router } = openApp(AT);
  const person = userEvent.setup();
  await person.type(await screen.findByLabelText("Search in the differences"), "scale");
  await waitFor(() => expect(router.state.location.search).toEqual({ tab: "diff", q: "scale" }));
  expect(screen.queryByRole("region", { name: "Secret shop/key" })).not.toBeInTheDocument();
  await person.selectOptions(screen.getByLabelText("Kind"), "Secret");
  expect(await screen.findByText("No difference fits the filter.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Show all differences" }));
  await person.click(await screen.findByRole("checkbox", { name: "Only changed" }));
  await waitFor(() => expect(asked.at(-1)?.get("all")).toBe("true"));
  await person.click(screen.getByRole("button", { name: "Only this: Secret shop/key" }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ all: true, object: "/Secret/shop/key" }));
});

test("each side can be seen whole", async () => {
  openApp(`${AT}&show=desired&kind=Deployment`);
  expect(await screen.findByText(/kind: Deployment/)).toBeVisible();
  await userEvent.click(screen.getByRole("radio", { name: "Live" }));
  expect(await screen.findByText("The object is not there on this side.")).toBeVisible();
});

test("nothing differing is said, and a failure too", async () => {
  server.use(http.get(api("applications/shop/diff"), () => HttpResponse.json({ status: "Synced", items: [] })));
  openApp(AT);
  expect(await screen.findByRole("button", { name: "Show all objects" })).toBeVisible();
});

test.each([
  [0, 0, "Synced", "Everything is as Git asks for."],
  [0, 0, "", "Nothing differs; the state is not known yet."],
  [1, 1, "OutOfSync", "1 object differs from Git."],
  [1200, 3, "OutOfSync", "1,200 objects differ from Git; 3 shown."],
])("%i differing, %i shown, %s", (differing, shown, status, sentence) =>
  expect(diffSentence(differing, shown, status)).toBe(sentence),
);

test("another stamp is another comparison", () => {
  expect(stampOf({ status: { reconciledAt: "1" } })).not.toBe(stampOf({ status: { reconciledAt: "2" } }));
  expect(sideText({}, "live")).toBe("");
});
