import type { GraphObject } from "./object";
import type { Seen } from "./sight";

/** A line of the outline, with what `role=treeitem` has to say. */
export interface Line<T extends GraphObject = GraphObject> {
  seen: Seen<T>;
  level: number;
  position: number;
  of: number;
}

/** What is drawn, line by line, each before what is below it. */
export function lines<T extends GraphObject>(root: Seen<T>): Line<T>[] {
  const found: Line<T>[] = [];
  const waiting: Line<T>[] = [{ seen: root, level: 1, position: 1, of: 1 }];
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    found.push(line);
    const { children } = line.seen;
    for (let place = children.length - 1; place >= 0; place -= 1) {
      waiting.push({
        seen: children[place] as Seen<T>,
        level: line.level + 1,
        position: place + 1,
        of: children.length,
      });
    }
  }
  return found;
}

export type Move = { to: string } | { open: string } | { shut: string };

/** What a key does in a tree, as the ARIA practices have it. Nothing for keys that are none of its business. */
export function moved(all: readonly Line[], at: string, key: string): Move | undefined {
  const place = Math.max(
    all.findIndex((line) => line.seen.key === at),
    0,
  );
  const seen = all[place]?.seen;
  if (!seen) return undefined;
  switch (key) {
    case "ArrowDown":
      return toLine(all[place + 1]);
    case "ArrowUp":
      return toLine(all[place - 1]);
    case "Home":
      return toLine(all[0]);
    case "End":
      return toLine(all.at(-1));
    case "ArrowRight":
      if (!seen.openable) return undefined;
      return seen.open ? toLine(all[place + 1]) : { open: seen.key };
    case "ArrowLeft":
      if (seen.open && seen.parent) return { shut: seen.key };
      return seen.parent && { to: seen.parent.key };
    default:
      return key.length === 1 && key !== " " ? toLine(startingWith(all, place, key)) : undefined;
  }
}

/** The same in the picture, where what belongs to something is to the right of it. */
export function movedInPicture(all: readonly Line[], at: string, key: string): Move | undefined {
  const seen = all.find((line) => line.seen.key === at)?.seen ?? all[0]?.seen;
  const column = all.filter((line) => line.seen.depth === seen?.depth);
  const place = column.findIndex((line) => line.seen === seen);
  if (key === "ArrowDown") return toLine(column[place + 1]);
  if (key === "ArrowUp") return toLine(column[place - 1]);
  if (key === "ArrowLeft") return seen?.parent && { to: seen.parent.key };
  return ["ArrowRight", "Home", "End"].includes(key) ? moved(all, at, key) : undefined;
}

const toLine = (line: Line | undefined): Move | undefined => line && { to: line.seen.key };

function startingWith(all: readonly Line[], place: number, letter: string): Line | undefined {
  const from = [...all.slice(place + 1), ...all.slice(0, place)];
  return from.find(({ seen }) =>
    (seen.branch?.object.name ?? seen.kind).toLowerCase().startsWith(letter.toLowerCase()),
  );
}
