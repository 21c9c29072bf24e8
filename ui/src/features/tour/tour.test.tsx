import { readFileSync } from "node:fs";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { openApp } from "../../../tests/app";
import { api, server } from "../../../tests/server";
import { repositoryOf, stepsFor } from "./model/steps";
import { dismiss, progress } from "./stores";

const REPOSITORY = "http://127.0.0.1:8080/git/platform.git";
const platform = (repoURL: string) => ({
  metadata: { name: "platform", namespace: "argocd" },
  spec: { source: { repoURL } },
});

beforeEach(() => {
  progress.set({ done: [], dismissed: false });
  server.use(http.get(api("applications/platform"), () => HttpResponse.json(platform(REPOSITORY))));
});

test("the commands are those of the guide, in its order", () => {
  const guide = readFileSync("../docs/tour.md", "utf8");
  const places = stepsFor(REPOSITORY).flatMap(({ commands }) => commands.map((line) => guide.indexOf(line)));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test("four steps are shown, each with a command, and are ticked off", async () => {
  openApp("/tour");
  const list = await screen.findByRole("list", { name: "Steps of the tour" });
  expect(
    within(list)
      .getAllByRole("checkbox")
      .map((box) => box.parentElement?.textContent),
  ).toEqual(["1. Edit", "2. Drift", "3. Conflict", "4. Approve"]);
  expect(within(list).getByText(`git clone ${REPOSITORY} ~/platform`)).toBeInTheDocument();
  await userEvent.click(within(list).getByRole("checkbox", { name: "2. Drift" }));
  expect(progress.get().done).toEqual(["drift"]);
  await userEvent.click(within(list).getByRole("checkbox", { name: "2. Drift (done)" }));
  expect(progress.get().done).toEqual([]);
});

test("without the sample there is nothing to tour, and the way to one is told", async () => {
  server.use(http.get(api("applications/platform"), () => HttpResponse.json({ message: "denied" }, { status: 403 })));
  openApp("/tour");
  expect(await screen.findByText(/no sample platform here/)).toBeVisible();
});

test("what was put away is brought back", async () => {
  dismiss(true);
  openApp("/tour");
  await userEvent.click(await screen.findByRole("button", { name: /Show it on the first page/ }));
  expect(progress.get().dismissed).toBe(false);
});

test.each<[app: Parameters<typeof repositoryOf>[0], expected: string, why: string]>([
  [platform(REPOSITORY), REPOSITORY, "it is the sample's"],
  [platform("https://git.example.org/platform.git"), "", "it is somebody's own of the same name"],
  [{ metadata: { name: "other" }, spec: { source: { repoURL: REPOSITORY } } }, "", "it is another application"],
  [undefined, "", "there is none"],
])("of %j the repository is %s, for %s", (app, expected) => {
  expect(repositoryOf(app)).toBe(expected);
});
