import { FrameReader } from "@/api/live/frames";

/** A line that a pod printed. */
export interface LogEntry {
  /** As the node wrote it; empty where nobody knows. */
  stamp: string;
  pod: string;
  text: string;
}

/** Colours and movements for terminals. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");
const SECONDS = "2026-01-31T12:00:00".length;

/** Sorts by time: nodes leave out zeros at the end. */
export function orderOf(stamp: string): string {
  const fraction = stamp.slice(SECONDS).replace("Z", "").replace(".", "");
  return `${stamp.slice(0, SECONDS)}.${fraction.padEnd(9, "0")}`;
}

interface Said {
  result?: { content?: string; timeStampStr?: string; podName?: string; last?: boolean };
  error?: { message?: string };
}

/** Takes pieces of the stream as they come, and gives the lines in them. */
export class LogReader {
  private readonly frames = new FrameReader();
  /** Whether the server said that there is no more. */
  ended = false;

  read(piece: string): LogEntry[] {
    return this.frames.read(piece).flatMap((frame): LogEntry[] => {
      const { result, error } = saidIn(frame.text);
      if (error?.message) return [{ stamp: "", pod: "", text: error.message }];
      if (!result) return [];
      if (result.last) this.ended = true;
      // The end itself has no text, unless it is a line that came too late.
      if (result.last && !result.podName) return [];
      const text = (result.content ?? "").replace(ESCAPES, "");
      return [{ stamp: result.timeStampStr ?? "", pod: result.podName ?? "", text }];
    });
  }
}

function saidIn(text: string): Said {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}
