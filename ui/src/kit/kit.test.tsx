import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { ApiError } from "@/api/errors";
import { CopyMenu } from "./copy-menu";
import { DataTable, type TableColumn } from "./data-table";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Kbd } from "./kbd";
import { HEALTHS, SYNCS } from "./model/status";
import { Empty, Failed } from "./state";
import { HealthStatus, SyncStatus } from "./status";

test("every state has a word and a shape of its own", () => {
  render(HEALTHS.map((status) => <HealthStatus key={status} status={status} />));
  expect(HEALTHS.map((status) => screen.getByText(status).textContent)).toEqual([...HEALTHS]);
  const shapes = [...document.querySelectorAll("svg")].map((shape) => shape.innerHTML);
  expect(new Set(shapes).size).toBe(HEALTHS.length);
});

test("sync states too", () => {
  render(SYNCS.map((status) => <SyncStatus key={status} status={status} />));
  expect(new Set([...document.querySelectorAll("svg")].map((shape) => shape.innerHTML)).size).toBe(SYNCS.length);
  expect(screen.getByText("Out of sync")).toBeVisible();
});

describe("what cannot be shown", () => {
  test.each([
    [403, "The applications may not be seen by you.", "plumb account can-i get applications '*'"],
    [404, "The applications cannot be found.", undefined],
    [503, "The server does not answer.", "plumb doctor"],
    [500, "The applications could not be read.", undefined],
  ])("%i says: %s", (status, sentence, command) => {
    render(<Failed error={new ApiError(status, "because")} what="The applications" onRetry={vi.fn()} />);
    expect(screen.getByText(sentence)).toBeVisible();
    expect(screen.getByText(/because/)).toBeVisible();
    if (command) expect(screen.getByText(command)).toBeVisible();
  });

  test("the command of a hint can be copied", () => {
    render(<Failed error={new ApiError(500, "broken", { hint: "Run `plumb doctor`." })} what="It" />);
    expect(screen.getByRole("button", { name: "Copy the command plumb doctor" })).toBeVisible();
  });

  test("a fault of ours is said as well", async () => {
    const retry = vi.fn();
    render(<Failed error={new TypeError("x is undefined")} what="This page" onRetry={retry} />);
    expect(screen.getByRole("alert")).toHaveTextContent("This page could not be shown.");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(retry).toHaveBeenCalledOnce();
  });

  test("nothing is a state with a next command", () => {
    render(<Empty sentence="There is nothing yet." command="plumb up" />);
    expect(screen.getByRole("status")).toHaveTextContent("There is nothing yet.");
    expect(screen.getByText("plumb up")).toBeVisible();
  });
});

test("copying says what was copied, in three forms", async () => {
  const person = userEvent.setup();
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  render(<CopyMenu command="plumb app list" yaml={() => "a: 1\n"} />);
  for (const [item, text] of [
    ["Copy as command", "plumb app list"],
    ["Copy as YAML", "a: 1\n"],
    ["Copy link to this view", window.location.href],
  ] as const) {
    await person.click(screen.getByRole("button", { name: "Copy" }));
    await person.click(await screen.findByRole("menuitem", { name: item }));
    expect(copied).toHaveBeenLastCalledWith(text);
  }
});

const COLUMNS: TableColumn<{ name: string; age: number }>[] = [
  { accessorKey: "name", header: "Name" },
  { accessorKey: "age", header: "Age" },
];

test("tables have row headers and are sorted by their columns", async () => {
  const rows = [
    { name: "b", age: 1 },
    { name: "a", age: 2 },
  ];
  render(<DataTable caption="People" columns={COLUMNS} rows={rows} rowId={(row) => row.name} />);
  expect(screen.getAllByRole("rowheader").map((cell) => cell.textContent)).toEqual(["b", "a"]);
  await userEvent.click(screen.getByRole("button", { name: "Name" }));
  expect(screen.getAllByRole("rowheader").map((cell) => cell.textContent)).toEqual(["a", "b"]);
  expect(screen.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "ascending");
});

test("dialogs are named and end with Escape", async () => {
  const close = vi.fn();
  render(
    <Dialog title="Keys" onClose={close}>
      text
    </Dialog>,
  );
  expect(screen.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(close).toHaveBeenCalledOnce();
});

test("a field says what is wrong with it", () => {
  render(<Field label="Password" error="It is too short." />);
  expect(screen.getByLabelText("Password")).toHaveAccessibleDescription("It is too short.");
});

test("bindings are shown as keys", () => {
  const { container } = render(<Kbd keys="g a" />);
  expect([...container.querySelectorAll("kbd")].map((key) => key.textContent)).toEqual(["g", "a"]);
});
