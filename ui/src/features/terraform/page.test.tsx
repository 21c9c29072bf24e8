import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import type { Plan, Terraform } from "./model/wire";

const FIRST = "a".repeat(64);
const SECOND = "b".repeat(64);
const NET: Terraform = {
  namespace: "infra",
  name: "network",
  state: "waiting",
  plan: "plan-main-1",
  headline: "1 to add, 1 to replace",
  source: "GitRepository/platform",
  path: "./network",
  revision: "main@sha1:abc",
};
const DANGER = {
  kind: "replace",
  severity: "high" as const,
  address: "module.db.aws_db_instance.main",
  lost: "a database",
  sentence: "replaces module.db.aws_db_instance.main because engine cannot change in place, and a database is lost",
};

const plan = (digest: string, said: Partial<Plan> = {}): Plan => ({
  namespace: "infra",
  name: "network",
  state: "waiting",
  message: "Plan waits: 1 approval missing, approved by bob",
  plan: "plan-main-1",
  digest,
  approvals: [{ by: "bob", decision: "Approve", comment: "fine by me", at: "2026-11-16T00:00:00Z" }],
  commands: {
    approve: `plumb tf approve network -n infra --plan ${digest}`,
    show: "plumb tf show network -n infra --full",
  },
  headline: "1 to add, 1 to replace",
  dangers: [DANGER],
  moreDangers: 0,
  tool: "1.9.0",
  changes: [
    {
      action: "replace",
      count: 1,
      modules: [
        {
          module: "module.db",
          changes: [
            {
              address: "module.db.aws_db_instance.main",
              action: "replace",
              replacedBecauseOf: ["engine"],
              dangers: [DANGER],
              fields: [
                { path: "engine", before: "mysql", after: "postgres", replaces: true },
                { path: "password", before: "(sensitive)", after: "(sensitive)", replaces: false },
              ],
            },
          ],
        },
      ],
    },
    {
      action: "create",
      count: 1,
      modules: [{ module: "", changes: [{ address: "aws_vpc.main", action: "create", moreFields: 2 }] }],
    },
  ],
  outputs: [{ name: "token", action: "update", before: null, after: null, sensitive: true }],
  driftedOutside: [{ address: "aws_subnet.a", action: "update", fields: [] }],
  text: "Terraform will perform the following actions",
  may: { approve: true, reject: true },
  ...said,
});

let waits: Plan;
let asked: URLSearchParams[];
let said: unknown[];

beforeEach(() => {
  waits = plan(FIRST);
  asked = [];
  said = [];
  server.use(
    http.get(api("terraforms"), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.json({ items: [NET], counts: { total: 1, state: { waiting: 1 }, namespace: { infra: 1 } } });
    }),
    http.get(api("terraforms/infra/network"), () =>
      HttpResponse.json({
        ...NET,
        spec: { variables: [{ name: "region", from: "here" }], outputsSecret: "net-out" },
        status: { lastAppliedRevision: "main@sha1:old", lastDriftDetectedAt: "2026-11-15T00:00:00Z" },
        conditions: [],
        application: null,
        history: [
          {
            id: 1,
            at: "2026-11-16T00:00:00Z",
            kind: "plan",
            verb: "made",
            by: "controller",
            summary: "Planned 1 to add",
            cause: "",
          },
        ],
        may: { reconcile: true },
      }),
    ),
    http.get(api("terraforms/infra/network/plan"), () => HttpResponse.json(waits)),
    http.get(api("terraforms/infra/network/outputs"), () =>
      HttpResponse.json({
        items: [
          { name: "vpc", sensitive: false, value: "vpc-0123" },
          { name: "token", sensitive: true },
        ],
      }),
    ),
    http.post(api("terraforms/infra/network/:word"), async ({ request, params }) => {
      const body = (await request.json()) as { digest: string };
      said.push([params.word, body]);
      if (params.word !== "reconcile" && body.digest !== waits.digest) {
        return HttpResponse.json({ message: "the plan of network is another", code: 10 }, { status: 409 });
      }
      return HttpResponse.json({});
    }),
  );
});

async function expectAccessible(within: Element = document.body) {
  // Nothing is laid out here, so that colours are looked at in a browser.
  const { violations } = await axe.run(within, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([]);
}

test("objects are listed with their state in words, and keys open one", async () => {
  const { router } = openApp("/terraform?q=state:waiting");
  const row = await screen.findByRole("row", { name: /^network/ });
  expect(within(row).getByText("Waits for approval")).toBeVisible();
  expect(within(row).getByText("1 to add, 1 to replace")).toBeVisible();
  expect(asked[0]?.get("q")).toBe("state:waiting");
  await expectAccessible();
  await userEvent.keyboard("o");
  await waitFor(() => expect(router.state.location.pathname).toBe("/terraform/infra/network"));
});

test("a cluster without the kind says so", async () => {
  server.use(http.get(api("terraforms"), () => HttpResponse.json({ items: [], counts: { total: 0 }, served: false })));
  openApp("/terraform");
  expect(await screen.findByText("This cluster does not know Terraform objects.")).toBeVisible();
});

test("a plan is read by what it does: dangers first, then actions and modules, with reasons", async () => {
  openApp("/terraform/infra/network");
  const dangers = await screen.findByRole("region", { name: "Dangers" });
  expect(dangers).toHaveTextContent("a database is lost (high risk)");
  const replaced = screen.getByRole("region", { name: "Replace 1 resource" });
  expect(within(replaced).getByRole("heading", { name: "module.db" })).toBeVisible();
  expect(within(replaced).getByText("engine forces replacement")).toBeVisible();
  expect(within(replaced).getByText("postgres")).toBeVisible();
  expect(within(replaced).getAllByText("(sensitive)")).toHaveLength(2);
  expect(dangers.compareDocumentPosition(replaced)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(screen.getByRole("region", { name: "Create 1 resource" })).toHaveTextContent("2 more attributes left out");
  expect(screen.getByText("sensitive: its value is not shown")).toBeVisible();
  expect(screen.getByRole("region", { name: "Changed outside of Terraform" })).toHaveTextContent("aws_subnet.a");
  expect(screen.getByText(FIRST)).toBeVisible();
  expect(screen.getByText("Approved by bob: 1 of 2 approvals.")).toBeVisible();
  expect(screen.getByText("fine by me")).toBeVisible();
  expect(screen.getByText(/plumb tf approve network/)).toBeVisible();
  expect(screen.getByText("As the tool prints it").closest("details")).not.toHaveAttribute("open");
  expect(screen.getByRole("region", { name: "What happened" })).toHaveTextContent("Planned 1 to add");
  await expectAccessible();
});

test("outputs are names, whatever the server tells", async () => {
  openApp("/terraform/infra/network");
  expect(await screen.findByText("vpc, token (sensitive)")).toBeVisible();
  expect(document.body).not.toHaveTextContent("vpc-0123");
});

test("a plan is approved by its digest, once what is lost was read", async () => {
  openApp("/terraform/infra/network");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Approve…" }));
  const dialog = await screen.findByRole("dialog", { name: "Approve plan aaaaaaaaaaaa" });
  const approve = within(dialog).getByRole("button", { name: "Approve this plan" });
  expect(approve).toBeDisabled();
  await person.click(within(dialog).getByRole("checkbox", { name: "I have read 1 danger" }));
  await person.type(within(dialog).getByLabelText("Comment"), "go on");
  await expectAccessible(dialog);
  await person.click(approve);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(said).toEqual([["approve", { digest: FIRST, comment: "go on" }]]);
});

test("a plan is rejected without further questions", async () => {
  openApp("/terraform/infra/network");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Reject…" }));
  const dialog = await screen.findByRole("dialog", { name: "Reject plan aaaaaaaaaaaa" });
  expect(within(dialog).getByText(`plumb tf reject network -n infra --plan ${FIRST}`)).toBeVisible();
  await person.click(within(dialog).getByRole("button", { name: "Reject this plan" }));
  await waitFor(() => expect(said).toEqual([["reject", { digest: FIRST, comment: "" }]]));
});

test("if the world moved, that is said, and the new plan is shown before anything can be said about it", async () => {
  openApp("/terraform/infra/network");
  const person = userEvent.setup();
  await person.click(await screen.findByRole("button", { name: "Reject…" }));
  waits = plan(SECOND, { headline: "5 to destroy" });
  await person.click(await screen.findByRole("button", { name: "Reject this plan" }));
  const alert = await screen.findByText(/The world has moved: nothing was said/);
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  expect(await screen.findByText(SECOND)).toBeVisible();
  expect(alert.closest("[role=alert]")).toHaveTextContent("You read aaaaaaaaaaaa. Now bbbbbbbbbbbb waits");
  expect(screen.getByRole("button", { name: "Approve…" })).toBeDisabled();
  await person.click(screen.getByRole("button", { name: "I am reading this one" }));
  expect(screen.getByRole("button", { name: "Approve…" })).toBeEnabled();
});

test("whoever may not decide sees what is and how to ask", async () => {
  waits = plan(FIRST, { may: { approve: false, reject: false } });
  openApp("/terraform/infra/network");
  expect(await screen.findByText("plumb account can-i approve terraform 'infra/network'")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Approve…" })).not.toBeInTheDocument();
});

test("where no plan waits, that is said, and a new look can be asked for", async () => {
  waits = { ...plan(""), plan: "", message: "Applied main", approvals: [], text: "" };
  openApp("/terraform/infra/network");
  expect(await screen.findByText("No plan waits.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Look again" }));
  await waitFor(() => expect(said).toEqual([["reconcile", {}]]));
});
