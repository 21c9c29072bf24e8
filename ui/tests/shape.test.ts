import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const LINES = 250;
const sources = Object.entries(
  import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }),
);
const own = sources.filter(([path]) => !path.includes(".test."));

test("no file grows past its limit", () => {
  expect(own.length).toBeGreaterThan(50);
  expect(own.filter(([, text]) => text.split("\n").length > LINES).map(([path]) => path)).toEqual([]);
});

test("a room takes from another only what is pure or asked of the server", () => {
  const taken = own.flatMap(([path, text]) => {
    const room = /features\/([^/]+)\//.exec(path)?.[1];
    const imports = [...text.matchAll(/from "(?:@\/|(?:\.\.\/)+)features\/([^/"]+)\/([^"]+)"/g)];
    return imports
      .filter(([, other, what]) => room && other !== room && !/^(?:model\/|api$)/.test(what ?? ""))
      .map(([line]) => `${path}: ${line}`);
  });
  expect(taken).toEqual([]);
});

test("the frame and the kit know no room", () => {
  const knowing = own.filter(
    ([path, text]) => /src\/(?:app|kit|api|routes)\//.test(path) && /from "@\/features\//.test(text),
  );
  expect(knowing.map(([path]) => path)).toEqual([]);
});

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

test("versions are exact, and the lock says what they must be but not where they come from", () => {
  const { dependencies, devDependencies } = read("package.json");
  const lock: { packages: Record<string, { integrity?: string; resolved?: string }> } = read("package-lock.json");
  const versions = Object.values<string>({ ...dependencies, ...devDependencies });
  expect(lock.packages[""]).toMatchObject({ dependencies, devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const packages = Object.entries(lock.packages).filter(([path]) => path);
  expect(packages.filter(([, locked]) => locked.resolved || !locked.integrity).map(([path]) => path)).toEqual([]);
});
