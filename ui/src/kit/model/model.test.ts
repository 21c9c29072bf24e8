import { describe, expect, test, vi } from "vitest";
import { grouped } from "./grouped";
import { healthOf, syncOf } from "./status";
import { createStore, createStoredStore, recordOf, textsOf } from "./store";
import { agoText } from "./time";
import { yamlOf } from "./yaml";

describe("stores", () => {
  test("tell of changes, and only of changes", () => {
    const store = createStore(1);
    const told = vi.fn();
    const stop = store.watch(told);
    store.set(1);
    store.set((before) => before + 1);
    stop();
    store.set(9);
    expect(told).toHaveBeenCalledOnce();
    expect(store.get()).toBe(9);
  });

  test("outlive the page", () => {
    createStoredStore("test.kept", textsOf).set(["a"]);
    expect(createStoredStore("test.kept", textsOf).get()).toEqual(["a"]);
  });

  test.each(["{", "7", '"x"', "null", "[1,2]"])("read what is not theirs (%s) as nothing", (stored) => {
    localStorage.setItem("test.foreign", stored);
    expect(createStoredStore("test.foreign", textsOf).get()).toEqual([]);
    expect(createStoredStore("test.foreign", recordOf).get()).toEqual({});
  });

  test("hear of other tabs", () => {
    const store = createStoredStore("test.tabs", textsOf);
    window.dispatchEvent(new StorageEvent("storage", { key: "test.tabs", newValue: '["b"]' }));
    expect(store.get()).toEqual(["b"]);
  });

  test("do without storage where that is closed", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    const store = createStoredStore("test.full", textsOf);
    store.set(["a"]);
    expect(store.get()).toEqual(["a"]);
  });
});

test.each([
  ["2026-01-01T00:00:00Z", "just now", 2_000],
  ["2026-01-01T00:00:00Z", "59 s ago", 59_000],
  ["2026-01-01T00:00:00Z", "1 min ago", 60_000],
  ["2026-01-01T00:00:00Z", "23 h ago", 86_399_000],
  ["2026-01-01T00:00:00Z", "1 d ago", 86_400_000],
  ["2026-01-01T00:00:00Z", "2 mo ago", 86_400_000 * 61],
  ["2026-01-01T00:00:00Z", "1 y ago", 86_400_000 * 365],
  ["2026-01-01T00:00:00Z", "just now", -60_000],
  ["never", "", 0],
])("%s is %s", (at, text, after) => {
  expect(agoText(at, Date.parse("2026-01-01T00:00:00Z") + after)).toBe(text);
});

test("states beyond the vocabulary are unknown", () => {
  expect([healthOf("Degraded"), healthOf("Purple"), healthOf(undefined), syncOf("OutOfSync"), syncOf(3)]).toEqual([
    "Degraded",
    "Unknown",
    "Unknown",
    "OutOfSync",
    "Unknown",
  ]);
});

test("groups keep the order in which they come", () => {
  expect([...grouped(["b1", "a1", "b2"], (each) => each[0])]).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1"]],
  ]);
});

describe("YAML", () => {
  test("is written as Kubernetes' own tools write it", () => {
    const value = {
      apiVersion: "apps/v1",
      metadata: { name: "web", labels: {}, annotations: { "a.b/c": "true" } },
      spec: { replicas: 3, args: ["--x", "a: b"], ports: [{ name: "http", port: 80 }, [1]], paused: false, empty: [] },
      script: "#!/bin/sh\necho 'a'\n\nexit\n",
      note: "no newline\nat the end",
    };
    expect(yamlOf(value)).toBe(`apiVersion: apps/v1
metadata:
  name: web
  labels: {}
  annotations:
    a.b/c: "true"
spec:
  replicas: 3
  args:
  - "--x"
  - "a: b"
  ports:
  - name: http
    port: 80
  - - 1
  paused: false
  empty: []
script: |
  #!/bin/sh
  echo 'a'

  exit
note: |-
  no newline
  at the end
`);
  });

  test.each([
    "yes",
    "1",
    "1e3",
    "",
    " a",
    "a ",
    "a\tb\nc",
    "null",
    "- a",
    "a #b",
    "on",
    "0x1",
    "a:",
    " a\nb",
    "a \nb",
    "a\n\n",
  ])("what could be misread (%j) is quoted", (value) => {
    expect(yamlOf({ a: value })).toBe(`a: ${JSON.stringify(value)}\n`);
  });

  test("nothing at all is something too", () => {
    expect([yamlOf(null), yamlOf(undefined), yamlOf([]), yamlOf("x")]).toEqual(["null\n", "null\n", "[]\n", "x\n"]);
  });
});
