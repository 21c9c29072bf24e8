import type { Frame } from "./frames";
import type { Change } from "./topics";

export type Message =
  | { event: "open"; resumed: boolean }
  | { event: "change"; topic: string; change: Change }
  | { event: "reset"; topics: string[] }
  | { event: "bye"; reason: string };

const KINDS: readonly string[] = ["ADDED", "MODIFIED", "DELETED"];

/** What the server says with a frame; nothing where the frame only keeps the connection open, or is not understood. */
export function messageOf(frame: Frame): Message | undefined {
  const said = objectOf(frame.text);
  if (!said) return undefined;
  switch (frame.event) {
    case "open":
      return { event: "open", resumed: said.resumed === true };
    case "change":
      return changeOf(said);
    case "reset":
      return { event: "reset", topics: Array.isArray(said.topics) ? said.topics.map(String) : [] };
    case "bye":
      return { event: "bye", reason: String(said.reason ?? "") };
    default:
      return undefined;
  }
}

function changeOf(said: Record<string, unknown>): Message | undefined {
  const { topic, key, kind, object, omitted } = said;
  if (typeof topic !== "string" || typeof key !== "string" || !KINDS.includes(String(kind))) return undefined;
  const change: Change = { kind: kind as Change["kind"], key, ...(omitted === true ? { omitted } : {}) };
  return { event: "change", topic, change: object === undefined ? change : { ...change, object } };
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}
