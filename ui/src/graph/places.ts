import type { Seen } from "./sight";

export const NODE_WIDTH = 236;
export const NODE_HEIGHT = 54;
const COLUMN = NODE_WIDTH + 64;
const ROW = NODE_HEIGHT + 14;
/** Around a box that fills a window. */
const MARGIN = 24;

export interface Place {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export type Places = ReadonlyMap<string, Place>;

/**
 * Where everything stands: what belongs to something to the right of it, the first in the same row, the others below. So the worst way is a
 * straight line on top, and whatever opens or comes along moves only what is below it: a layout that centres moves everything.
 */
export function placed(root: Seen): Places {
  const places = new Map<string, Place>();
  const waiting = [root];
  let row = 0;
  for (let seen = waiting.pop(); seen; seen = waiting.pop()) {
    places.set(seen.key, { x: seen.depth * COLUMN, y: row * ROW });
    if (seen.children.length === 0) row += 1;
    waiting.push(...seen.children.toReversed());
  }
  return places;
}

export interface Box extends Place, Size {}

/** What holds all of *keys*; nothing where none of them has a place. */
export function around(places: Places, keys: Iterable<string>): Box | undefined {
  const found = [...keys].flatMap((key) => places.get(key) ?? []);
  if (found.length === 0) return undefined;
  const [xs, ys] = [found.map((place) => place.x), found.map((place) => place.y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + NODE_WIDTH, height: Math.max(...ys) - y + NODE_HEIGHT };
}

/** By how much a box has to be made smaller, or could be enlarged, to fill a window. */
export function fitting(box: Size, window: Size): number {
  return Math.min((window.width - 2 * MARGIN) / box.width, (window.height - 2 * MARGIN) / box.height);
}

/** How a window looks at a box: at all of it if names can be read then, else at its beginning. */
export function viewOf(box: Box, window: Size, readable: number): Place & { zoom: number } {
  const zoom = Math.min(Math.max(fitting(box, window), readable), 1);
  const start = (length: number, room: number) => Math.max((room - length * zoom) / 2, MARGIN);
  return { x: start(box.width, window.width) - box.x * zoom, y: start(box.height, window.height) - box.y * zoom, zoom };
}
