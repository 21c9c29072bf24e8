import { describe, expect, test } from "vitest";
import { LogBuffer, textOf } from "./buffer";
import { containersOf, deployMarkers, type PodObject, restarted, restartMarkers, withMarkers } from "./markers";
import { LogReader, orderOf } from "./reader";
import { lineAddress, logCommand, logQuery, logSearch, podColour, pointedAt } from "./search";
import { sourceKey, workloadsOf } from "./tree";

const frame = (result: object) => `data: ${JSON.stringify({ result })}\n\n`;

describe("the stream", () => {
  test("is read in whatever pieces it comes", () => {
    const reader = new LogReader();
    const text = frame({ content: "\u001b[31mred\u001b[0m", timeStampStr: "2026-01-01T10:00:00.5Z", podName: "web-1" });
    expect([...text].flatMap((sign) => reader.read(sign))).toEqual([
      { stamp: "2026-01-01T10:00:00.5Z", pod: "web-1", text: "red" },
    ]);
    expect(reader.ended).toBe(false);
    expect(reader.read(frame({ content: "", podName: "", last: true }))).toEqual([]);
    expect(reader.ended).toBe(true);
  });
  test("may say an error, a sign of life, or nonsense", () => {
    const reader = new LogReader();
    expect(reader.read(`data: {"error":{"message":"gone"}}\n\n`)).toEqual([{ stamp: "", pod: "", text: "gone" }]);
    expect(reader.read(":\n\ndata: [\n\ndata: 1\n\n")).toEqual([]);
  });
  test("times sort whatever zeros are left out", () => {
    const stamps = [
      "2026-01-01T10:00:00.12Z",
      "2026-01-01T10:00:00.1Z",
      "2026-01-01T10:00:00Z",
      "2026-01-01T10:00:00.100000001Z",
    ];
    expect(stamps.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))).toEqual([
      stamps[2],
      stamps[1],
      stamps[3],
      stamps[0],
    ]);
  });
});

describe("what is kept", () => {
  const entry = (stamp: string, text = stamp, pod = "a") => ({
    stamp: stamp && `2026-01-01T10:00:0${stamp}Z`,
    pod,
    text,
  });
  test("are the last lines", () => {
    const buffer = new LogBuffer(2);
    buffer.add([entry("1"), entry("2"), entry("3")]);
    expect([buffer.lines.map((line) => line.text), buffer.dropped]).toEqual([["2", "3"], 1]);
    expect(buffer.latest).toBe("2026-01-01T10:00:03Z");
  });
  test("is not doubled when the server says it again, pod by pod", () => {
    const buffer = new LogBuffer();
    buffer.add([entry("1"), entry("5", "b5", "b")]);
    buffer.resume();
    buffer.add([entry("1"), entry("2"), entry("", "no time"), entry("5", "b5", "b")]);
    expect(buffer.lines.map((line) => line.text)).toEqual(["1", "b5", "2", "no time"]);
    expect(textOf(buffer.lines)).toContain("2026-01-01T10:00:02Z a 2\n");
  });
});

describe("what happened in between", () => {
  const pod: PodObject = {
    metadata: { name: "web-1" },
    spec: { containers: [{ name: "app" }, { name: "proxy" }], initContainers: [{ name: "init" }] },
    status: {
      containerStatuses: [
        {
          name: "app",
          restartCount: 2,
          state: { running: { startedAt: "2026-01-01T10:00:03Z" } },
          lastState: { terminated: { finishedAt: "2026-01-01T10:00:02Z", exitCode: 1, reason: "Error" } },
        },
        { name: "proxy", restartCount: 0, state: { running: { startedAt: "2026-01-01T09:00:00Z" } } },
      ],
    },
  };
  test("stands between the lines it happened between", () => {
    const buffer = new LogBuffer();
    buffer.add(["1", "4"].map((second) => ({ stamp: `2026-01-01T10:00:0${second}Z`, pod: "web-1", text: second })));
    const markers = [
      ...restartMarkers([pod]),
      ...deployMarkers([
        { deployedAt: "2026-01-01T09:00:00Z", revision: "abcdefghij" },
        { deployedAt: "2026-01-01T11:00:00Z", revision: "abcdefghij" },
        {},
      ]),
    ];
    expect(
      withMarkers(buffer.lines, markers).map((item) => (item.kind === "line" ? item.line.text : item.marker.text)),
    ).toEqual([
      "1",
      "web-1 (app) ended: Error, exit code 1",
      "web-1 (app) began again, restart 2",
      "4",
      "synced to abcdefg",
    ]);
    expect(withMarkers([], markers)).toEqual([]);
  });
  test("tells which pods have something earlier", () => {
    expect(restarted([pod, {}])).toEqual(["web-1"]);
    expect(containersOf([pod, pod])).toEqual(["app", "proxy", "init"]);
  });
});

describe("the question", () => {
  test("is as usual unless somebody says otherwise", () => {
    expect(logQuery("argocd", logSearch({}))).toEqual({
      appNamespace: "argocd",
      container: "",
      follow: true,
      previous: undefined,
      tailLines: 500,
      sinceSeconds: undefined,
      filter: "",
      matchCase: undefined,
    });
  });
  test("is about a workload, a pod, or what stands around a line", () => {
    expect(logQuery("argocd", logSearch({ source: "apps/Deployment/shop/web" }))).toMatchObject({
      group: "apps",
      kind: "Deployment",
      namespace: "shop",
      resourceName: "web",
    });
    expect(logQuery("argocd", logSearch({ source: "apps/Deployment/shop/web", pod: "web-1" }))).toMatchObject({
      podName: "web-1",
    });
    const line = lineAddress("web-1", "2026-01-01T10:00:30.123456789Z");
    expect(logQuery("argocd", logSearch({ line }))).toMatchObject({
      sinceTime: "2026-01-01T10:00:00.123Z",
      follow: undefined,
    });
    expect(pointedAt(line)).toEqual({ pod: "web-1", stamp: "2026-01-01T10:00:30.123456789Z" });
    expect(pointedAt("web-1~x")).toBeUndefined();
  });
  test("can be asked in a terminal", () => {
    expect(
      logCommand(
        "shop",
        logSearch({ source: "apps/Deployment/shop/web", filter: "no way", matchCase: true, since: 60 }),
      ),
    ).toBe(
      "plumb app logs shop --group apps --kind Deployment --namespace shop --name web -f --tail 500 --since-seconds 60 --filter 'no way' -m",
    );
    expect(logCommand("shop", logSearch({ pod: "web-1", container: "app", previous: true, tail: "7" }))).toBe(
      "plumb app logs shop --kind Pod --name web-1 -c app -p --tail 7",
    );
  });
});

test("pods are found behind the topmost object, whatever circles there are", () => {
  const nodes = [
    { kind: "Deployment", group: "apps", name: "web", namespace: "shop", uid: "d" },
    { kind: "ReplicaSet", group: "apps", name: "web-x", namespace: "shop", uid: "r", parentRefs: [{ uid: "d" }] },
    { kind: "Pod", name: "web-1", namespace: "shop", uid: "p", parentRefs: [{ uid: "r" }] },
    { kind: "Pod", name: "alone", namespace: "shop", uid: "q", parentRefs: [{ uid: "q" }] },
  ];
  expect(workloadsOf(nodes).map(({ node, pods }) => [sourceKey(node), pods.length])).toEqual([
    ["/Pod/shop/alone", 1],
    ["apps/Deployment/shop/web", 1],
  ]);
});

test("neighbours have different colours", () => {
  const pods = ["a", "b", "c"];
  expect(new Set(pods.map((pod) => podColour(pods, pod))).size).toBe(3);
});
