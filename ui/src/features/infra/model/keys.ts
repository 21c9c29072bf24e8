import type { Line } from "./tree";

/** What a key does in a tree: another line to stand on, or one to fold or unfold. */
export interface Move {
  to?: string;
  toggle?: string;
}

/** As the pattern for trees has it: up and down, right opens or goes in, left closes or goes out. */
export function moveOf(key: string, lines: readonly Line[], current: string): Move | undefined {
  const at = Math.max(
    0,
    lines.findIndex((line) => line.key === current),
  );
  const line = lines[at];
  const to = (place: number): Move => {
    const next = lines[Math.min(Math.max(place, 0), lines.length - 1)];
    return next ? { to: next.key } : {};
  };
  switch (key) {
    case "ArrowDown":
      return to(at + 1);
    case "ArrowUp":
      return to(at - 1);
    case "Home":
      return to(0);
    case "End":
      return to(lines.length - 1);
    case "ArrowRight":
      if (line?.open === false) return { toggle: line.key };
      return line?.open && line.kind === "node" ? to(at + 1) : {};
    case "ArrowLeft":
      if (line?.open) return { toggle: line.key };
      return line ? to(parentOf(lines, at)) : {};
    default:
      return undefined;
  }
}

function parentOf(lines: readonly Line[], at: number): number {
  const level = lines[at]?.level ?? 1;
  for (let place = at - 1; place >= 0; place -= 1) if ((lines[place]?.level ?? 0) < level) return place;
  return at;
}
