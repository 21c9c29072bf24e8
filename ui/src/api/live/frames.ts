export interface Frame {
  id: string;
  event: string;
  text: string;
  retryMs: number | undefined;
}

/** Takes pieces of a stream as they come and gives the whole server-sent events in them. */
export class FrameReader {
  private rest = "";

  read(piece: string): Frame[] {
    const blocks = (this.rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.map(frameOf);
  }
}

function frameOf(block: string): Frame {
  const frame: Frame = { id: "", event: "message", text: "", retryMs: undefined };
  const lines: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") frame.id = value;
    else if (name === "event") frame.event = value;
    else if (name === "data") lines.push(value);
    else if (name === "retry" && /^\d+$/.test(value)) frame.retryMs = Number(value);
  }
  frame.text = lines.join("\n");
  return frame;
}
