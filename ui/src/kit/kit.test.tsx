import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { ApiError } from "@/api/errors";
import { Command } from "./command-line";
import { CopyMenu } from "./copy-menu";
import { DataTable, type TableColumn } from "./data-table";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Kbd } from "./kbd";
import { ListToolbar } from "./list-toolbar";
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
    expect(screen.getByRole("button", { name: "Try again" })).toBeVisible();
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

test.each([
  [300, true, "wider than its place"],
  [100, false, "shown whole"],
])("a command of %i px can be focused: %s, since it is %s", (width, focusable) => {
  const wide = vi.spyOn(HTMLElement.prototype, "scrollWidth", "get").mockReturnValue(width);
  const place = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(100);
  render(<Command line="plumb app list" />);
  expect(screen.getByText("plumb app list").hasAttribute("tabindex")).toBe(focusable);
  expect(screen.queryAllByRole("group", { name: "Command plumb app list" })).toHaveLength(focusable ? 1 : 0);
  wide.mockRestore();
  place.mockRestore();
});

test("a list is narrowed, ordered and searched from above it; a facet without values is left out", async () => {
  const found: object[] = [];
  render(
    <ListToolbar
      title="Boats"
      count="3 boats"
      filter={{ label: "Filter boats", placeholder: "" }}
      facets={[
        { key: "state", title: "State", values: [{ value: "wet", label: "Afloat", count: 2 }] },
        { key: "kind", title: "Kind", values: [] },
      ]}
      orders={[
        { value: "", label: "By name" },
        { value: "-age", label: "Oldest first" },
      ]}
      search={{ q: "tug" }}
      onSearch={(search) => found.push(search)}
      updatedAt={0}
    />,
  );
  const person = userEvent.setup();
  expect(screen.getByRole("status")).toHaveTextContent("3 boats");
  expect(screen.queryByRole("button", { name: "Kind" })).toBeNull();
  await person.click(screen.getByRole("button", { name: "State" }));
  await person.click(await screen.findByRole("menuitemcheckbox", { name: "Afloat (2)" }));
  await person.click(screen.getByRole("button", { name: "Order" }));
  await person.click(await screen.findByRole("menuitemradio", { name: "Oldest first" }));
  await person.click(screen.getByRole("button", { name: "Clear the filter" }));
  expect(found.slice(0, 3)).toEqual([{ q: "state:wet tug" }, { q: "tug", sort: "-age" }, { q: "" }]);
});
