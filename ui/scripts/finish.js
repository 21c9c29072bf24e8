// After the build: compressed sidecars that the server picks by Accept-Encoding, and manifest.json that says what was built.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";

const STATIC = new URL("../../src/plumbline/web/static/", import.meta.url).pathname;
const LOCK = new URL("../package-lock.json", import.meta.url);
const COMPRESSED = new Set([".js", ".css", ".svg"]);
const SMALLEST_BYTES = 1024;

function commit() {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

const files = readdirSync(STATIC, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

for (const file of files) {
  if (!COMPRESSED.has(extname(file))) continue;
  const content = readFileSync(file);
  if (content.length < SMALLEST_BYTES) continue;
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_QUALITY]: 11 } }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

const lock = createHash("sha256").update(readFileSync(LOCK)).digest("hex");
writeFileSync(
  join(STATIC, "manifest.json"),
  `${JSON.stringify({ commit: commit(), lock: `sha256:${lock}` }, null, 2)}\n`,
);
