import { describe, expect, test, vi } from "vitest";
import { FrameReader } from "./frames";
import { messageOf } from "./messages";
import { LiveStream, type World } from "./stream";
import { type Change, Topics } from "./topics";

const frame = (event: string, payload: object) => `event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`;
const change = (topic: string, key: string, id: string) =>
  `id: ${id}\n${frame("change", { topic, key, kind: "MODIFIED", object: { key } })}`;

describe("frames", () => {
  test("an event may come in any pieces", () => {
    const whole = `retry: 1500\nid: a.7\nevent: change\ndata: {"a":\ndata: 1}\n\n`;
    for (let cut = 0; cut <= whole.length; cut++) {
      const reader = new FrameReader();
      const frames = [...reader.read(whole.slice(0, cut)), ...reader.read(whole.slice(cut))];
      expect(frames).toEqual([{ id: "a.7", event: "change", text: '{"a":\n1}', retryMs: 1500 }]);
    }
  });

  test("a beat moves the place and says nothing", () => {
    const [beat] = new FrameReader().read(": beat\nid: a.9\n\n");
    expect(beat).toMatchObject({ id: "a.9", text: "" });
    expect(beat && messageOf(beat)).toBeUndefined();
  });

  test.each([
    ["no JSON", "change", "{"],
    ["no topic", "change", '{"key":"a","kind":"ADDED"}'],
    ["a kind that there is not", "change", '{"topic":"t","key":"a","kind":"EXPLODED"}'],
    ["an event that there is not", "surprise", "{}"],
    ["no object", "open", "null"],
  ])("%s is passed over", (_, event, text) => {
    expect(messageOf({ id: "", event, text, retryMs: undefined })).toBeUndefined();
  });
});

describe("topics", () => {
  test("everything of a frame is told at once, and only to those who asked for it", () => {
    const topics = new Topics();
    const [one, other] = [vi.fn(), vi.fn()];
    topics.add("one", one);
    topics.add("other", other);
    const [first, second]: Change[] = [
      { kind: "ADDED", key: "a" },
      { kind: "DELETED", key: "a" },
    ] as Change[];
    if (first) topics.keep("one", first);
    if (second) topics.keep("one", second);
    topics.tell();
    expect(one.mock.calls).toEqual([[[first, second]]]);
    expect(other).not.toHaveBeenCalled();
  });

  test("a reset takes the place of what was waiting", () => {
    const topics = new Topics();
    const heard = vi.fn();
    topics.add("one", heard);
    topics.keep("one", { kind: "ADDED", key: "a" });
    topics.reset(["one", "unknown"]);
    topics.tell();
    expect(heard.mock.calls).toEqual([[[{ kind: "RESET", key: "" }]]]);
  });

  test("a topic is left with its last listener", () => {
    const topics = new Topics();
    const [one, other] = [vi.fn(), vi.fn()];
    expect([topics.add("t", one), topics.add("t", other)]).toEqual([true, false]);
    expect([topics.drop("t", one), topics.drop("t", other), topics.drop("t", other)]).toEqual([false, true, false]);
    expect(topics.names()).toEqual([]);
  });
});

/** A world in which nothing happens by itself. */
function still() {
  const opened: {
    topics: string[];
    last: string;
    signal: AbortSignal;
    say: (text: string) => Promise<void>;
    end: () => Promise<void>;
  }[] = [];
  const timers: { run: () => void; ms: number; cancelled: boolean }[] = [];
  let status = 200;
  const world: World = {
    open: async (topics, last, signal) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const say = async (text: string) => {
        await writer.write(new TextEncoder().encode(text));
        await settled();
      };
      const end = async () => {
        await writer.close();
        await settled();
      };
      opened.push({ topics, last, signal, say, end });
      return new Response(status === 200 ? readable : null, { status });
    },
    frame: (run) => run(),
    later: (run, ms) => {
      const timer = { run, ms, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
    refused: vi.fn(),
  };
  const pass = async (most = Number.POSITIVE_INFINITY) => {
    for (const timer of timers.splice(0)) {
      if (timer.cancelled) continue;
      if (timer.ms <= most) timer.run();
      else timers.push(timer);
    }
    await settled();
  };
  const last = () => {
    const stream = opened.at(-1);
    if (!stream) throw new Error("no stream was opened");
    return stream;
  };
  return { world, opened, timers, pass, last, refuse: (code: number) => (status = code) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the stream of a tab", () => {
  test("topics that come together are one stream", async () => {
    const { world, opened, pass } = still();
    const stream = new LiveStream(world);
    stream.subscribe("b", vi.fn());
    stream.subscribe("a", vi.fn());
    stream.subscribe("a", vi.fn());
    await pass(100);
    expect(opened.map((each) => each.topics)).toEqual([["a", "b"]]);
  });

  test("a fresh stream has everything asked again, one that goes on does not", async () => {
    const { world, pass, last } = still();
    const heard = vi.fn();
    const stream = new LiveStream(world);
    stream.subscribe("a", heard);
    await pass(100);
    await last().say(frame("open", { resumed: false }));
    expect(heard.mock.calls).toEqual([[[{ kind: "RESET", key: "" }]]]);
    expect(stream.state).toBe("open");
    await last().say(frame("open", { resumed: true }));
    expect(heard).toHaveBeenCalledOnce();
  });

  test("another topic opens another stream that goes on behind the last event", async () => {
    const { world, opened, pass, last } = still();
    const stream = new LiveStream(world);
    stream.subscribe("a", vi.fn());
    await pass(100);
    await last().say(change("a", "x", "ring.5"));
    stream.subscribe("b", vi.fn());
    await pass(100);
    expect(opened[0]?.signal.aborted).toBe(true);
    expect(last()).toMatchObject({ topics: ["a", "b"], last: "ring.5" });
  });

  test("a stream that ends is opened again, when the server said", async () => {
    const { world, opened, timers, pass, last } = still();
    const stream = new LiveStream(world);
    stream.subscribe("a", vi.fn());
    await pass(100);
    await last().say(`retry: 2500\n${frame("open", { resumed: false })}`);
    await last().end();
    expect(stream.state).toBe("lost");
    expect(timers.filter((timer) => !timer.cancelled).map((timer) => timer.ms)).toContain(2500);
    await pass(2500);
    expect(opened).toHaveLength(2);
  });

  test("a server that is away is asked less and less often", async () => {
    const { world, timers, pass, refuse } = still();
    refuse(503);
    new LiveStream(world).subscribe("a", vi.fn());
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      await pass();
      waits.push(...timers.filter((timer) => !timer.cancelled).map((timer) => timer.ms));
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  test("a connection that has gone silent is given up", async () => {
    const { world, opened, pass } = still();
    new LiveStream(world).subscribe("a", vi.fn());
    await pass(100);
    await pass(40_000);
    await pass(0);
    expect(opened).toHaveLength(2);
    expect(opened[0]?.signal.aborted).toBe(true);
  });

  test("a tab that nobody sees holds no connection", async () => {
    const { world, opened, pass, last } = still();
    const stream = new LiveStream(world);
    stream.subscribe("a", vi.fn());
    await pass(100);
    stream.pause(true);
    await pass(0);
    expect(last().signal.aborted).toBe(true);
    expect(stream.state).toBe("idle");
    stream.pause(false);
    await pass(0);
    expect(opened).toHaveLength(2);
  });

  test("nobody listening means no stream", async () => {
    const { world, pass, last } = still();
    const stream = new LiveStream(world);
    const leave = stream.subscribe("a", vi.fn());
    await pass(100);
    leave();
    await pass(100);
    expect(last().signal.aborted).toBe(true);
    expect(stream.state).toBe("idle");
  });

  test.each(["an answer", "a goodbye"])("an ended session is noticed by %s", async (way) => {
    const { world, pass, last, refuse } = still();
    if (way === "an answer") refuse(401);
    new LiveStream(world).subscribe("a", vi.fn());
    await pass(100);
    if (way === "a goodbye") await last().say(frame("bye", { reason: "session" }));
    expect(world.refused).toHaveBeenCalled();
  });
});
