import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const SERVER = process.env.PLUMBLINE_SERVER ?? "http://127.0.0.1:8080";

/** The content security policy allows no style that a script writes: sonner's is imported as a file instead. */
function sonnerWithoutInlineStyle(): Plugin {
  return {
    name: "sonner-without-inline-style",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("/sonner/dist/")) return null;
      return code.replace(/^__insertCSS\(".*"\);?$/m, "");
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [react(), tailwindcss(), sonnerWithoutInlineStyle()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: "../src/plumbline/web/static",
    emptyOutDir: true,
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    manifest: "assets.json",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    port: 5173,
    proxy: { "/api": { target: SERVER }, "/auth": { target: SERVER } },
  },
  test: {
    environment: "happy-dom",
    include: ["{src,tests}/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
