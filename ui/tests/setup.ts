import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll } from "vitest";
import { server } from "./server";

// Nothing is laid out here, and a virtual list shows nothing in a window without height.
for (const [name, value] of Object.entries({
  offsetHeight: 300,
  offsetWidth: 1200,
  clientHeight: 300,
  clientWidth: 1200,
})) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value });
}
globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

// A sentence about what is missing, not the whole page.
configure({ asyncUtilTimeout: 10_000, getElementError: (message) => new Error(message ?? "not found") });

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
  localStorage.clear();
});
afterAll(() => server.close());
