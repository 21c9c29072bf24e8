// The weight of the first load: the entry, everything it imports at once, its styles, and the applications list.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const STATIC = new URL("../../src/plumbline/web/static/", import.meta.url).pathname;
const FIRST_LOAD_LIMIT_BYTES = 250_000;
const FOLDER_LIMIT_BYTES = 3_000_000;
const FIRST_SCREENS = ["index.html", "src/routes/shell.tsx", "src/features/applications/page.tsx"];

const chunks = JSON.parse(readFileSync(join(STATIC, "assets.json"), "utf8"));
const wanted = new Set();

function want(name) {
  const chunk = chunks[name];
  if (!chunk) throw new Error(`The build has no ${name}`);
  if (wanted.has(chunk.file)) return;
  wanted.add(chunk.file);
  for (const style of chunk.css ?? []) wanted.add(style);
  for (const imported of chunk.imports ?? []) want(imported);
}

function weight(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

for (const screen of FIRST_SCREENS) want(screen);
const first = ["index.html", "theme.js", ...wanted].reduce(
  (sum, file) => sum + gzipSync(readFileSync(join(STATIC, file)), { level: 9 }).length,
  0,
);
const whole = weight(STATIC);
console.log(`first load ${(first / 1000).toFixed(1)} kB gzip (limit ${FIRST_LOAD_LIMIT_BYTES / 1000})`);
console.log(`whole folder ${(whole / 1000).toFixed(0)} kB with sidecars (limit ${FOLDER_LIMIT_BYTES / 1000})`);
if (first > FIRST_LOAD_LIMIT_BYTES || whole > FOLDER_LIMIT_BYTES) process.exitCode = 1;
