import { grouped } from "@/kit/model/grouped";
import type { Health } from "@/kit/model/status";
import type { Branch } from "./forest";
import { type GraphObject, kindOf, worseOf } from "./object";

/** So many are drawn at most, whatever there is. */
export const MOST_DRAWN = 300;
/** Up to here everything is open: there is nothing to be saved from. */
const FEW = 40;
const ALIKE = 3;
const ALIKE_OF_FEW = 8;
/** Of those with the same trouble, so many are shown by themselves. */
const TROUBLED = 6;
const PAGE = 50;
const MOST_PARTS = 120;

/** Something drawn: an object, or a counted group of those that are alike. */
export interface Seen<T extends GraphObject = GraphObject> {
  key: string;
  parent: Seen<T> | undefined;
  depth: number;
  children: Seen<T>[];
  /** The object itself; nothing for a group. */
  branch?: Branch<T>;
  /** Who is in the group; nothing for an object. */
  members?: readonly Branch<T>[];
  /** What all of a group are; empty where they differ. */
  kind: string;
  attention: number;
  /** The worst health of all that it stands for. */
  worst: Health | undefined;
  /** Whether there is anything below it. */
  openable: boolean;
  open: boolean;
  /** How many objects are below it and not drawn. */
  hidden: number;
  /** Should be open, but there is no room for that. */
  crowded: boolean;
}

export interface Looking {
  /** Keys that somebody opened and closed. */
  opened?: ReadonlySet<string>;
  shut?: ReadonlySet<string>;
  /** Objects that stood by themselves before, and stay: nothing folds away under somebody's eyes. */
  kept?: ReadonlySet<string>;
  /** Where things were: siblings keep their order. */
  rank?: (key: string) => number | undefined;
  limit?: number;
}

/** What is worth being seen: ways to trouble are open, what is alike and well is counted. */
export function sight<T extends GraphObject>(root: Branch<T>, looking: Looking = {}): Seen<T> {
  const few = root.size <= FEW;
  const top = seenObject(root, undefined);
  const waiting = [top];
  let room = (looking.limit ?? MOST_DRAWN) - 1;
  while (waiting.length > 0) {
    const at = waiting.splice(mostUrgent(waiting, looking), 1)[0] as Seen<T>;
    if (!at.openable || !wantsOpen(at, few, looking)) continue;
    const parts = partsOf(at, few, looking);
    at.crowded = parts.length > room;
    if (at.crowded) continue;
    room -= parts.length;
    Object.assign(at, { children: parts, open: true, hidden: 0 });
    waiting.push(...parts);
  }
  return top;
}

/** Those that stand by themselves; give them to the next look as `kept`. */
export function standing(root: Seen): Set<string> {
  return new Set(everySeen(root).flatMap((each) => (each.branch && !each.parent?.members ? [each.key] : [])));
}

export function everySeen<T extends GraphObject>(root: Seen<T>): Seen<T>[] {
  const found = [root];
  for (const each of found) found.push(...each.children);
  return found;
}

function mostUrgent(waiting: readonly Seen[], { opened }: Looking): number {
  let best = 0;
  for (let place = 1; place < waiting.length; place += 1) {
    if (urgency(waiting[place] as Seen, opened) > urgency(waiting[best] as Seen, opened)) best = place;
  }
  return best;
}

/** What somebody asked for comes first, then the worst, then what is near. */
const urgency = (seen: Seen, opened: ReadonlySet<string> | undefined): number =>
  (opened?.has(seen.key) ? 1_000_000 : 0) + seen.attention * 10_000 - seen.depth;

function wantsOpen(seen: Seen, few: boolean, { opened, shut, kept }: Looking): boolean {
  if (shut?.has(seen.key)) return false;
  if (opened?.has(seen.key) || seen.parent === undefined) return true;
  if (seen.members) return false;
  if (few || seen.attention > 0) return true;
  return (seen.branch?.children ?? []).some((child) => kept?.has(child.object.key));
}

function partsOf<T extends GraphObject>(at: Seen<T>, few: boolean, looking: Looking): Seen<T>[] {
  const parts = at.members ? paged(at, at.members) : sorted(at, few, looking);
  if (parts.length <= MOST_PARTS) return parts;
  const rest = parts.slice(MOST_PARTS - 1).flatMap((part) => part.branch ?? part.members ?? []);
  return [...parts.slice(0, MOST_PARTS - 1), seenGroup(at, "rest", "", rest)];
}

function paged<T extends GraphObject>(at: Seen<T>, members: readonly Branch<T>[]): Seen<T>[] {
  const shown = members.slice(0, PAGE).map((member) => seenObject(member, at));
  if (members.length <= PAGE) return shown;
  return [...shown, seenGroup(at, "more", at.kind, members.slice(PAGE))];
}

function sorted<T extends GraphObject>(at: Seen<T>, few: boolean, { kept, rank }: Looking): Seen<T>[] {
  const alone: Branch<T>[] = [];
  const groups: Seen<T>[] = [];
  const least = few ? ALIKE_OF_FEW : ALIKE;
  for (const [kind, all] of grouped(at.branch?.children ?? [], (each) => kindOf(each.object))) {
    const stays = (each: Branch<T>) => kept?.has(each.object.key) === true;
    const ill = all.filter((each) => each.attention > 0 || stays(each)).sort(worstFirst);
    const well = all.filter((each) => each.attention === 0 && !stays(each)).sort(byName);
    const [shown, others] = ofTrouble(ill, stays);
    alone.push(...shown, ...(well.length < least ? well : []));
    if (others.length > 0) groups.push(seenGroup(at, `ill:${kind}`, kind, others));
    if (well.length >= least) groups.push(seenGroup(at, `well:${kind}`, kind, well));
  }
  const objects = alone.map((branch) => seenObject(branch, at));
  const place = (seen: Seen) => rank?.(seen.key) ?? Number.POSITIVE_INFINITY;
  const inOrder = (one: Seen<T>, other: Seen<T>) =>
    compared(place(one), place(other)) ||
    other.attention - one.attention ||
    compared(one.kind, other.kind) ||
    compared(one.branch?.object.name ?? "", other.branch?.object.name ?? "");
  return [...objects.sort(inOrder), ...groups.sort(inOrder)];
}

/** Some by themselves, the others counted. Those that stay are by themselves whatever comes along. */
function ofTrouble<T extends GraphObject>(
  ill: readonly Branch<T>[],
  stays: (each: Branch<T>) => boolean,
): [shown: Branch<T>[], others: Branch<T>[]] {
  const [staying, coming] = [ill.filter(stays), ill.filter((each) => !stays(each))];
  const free = Math.max(TROUBLED - staying.length, 0);
  // A group of one would take the place of what is in it.
  const taken = coming.length <= free + 1 ? coming.length : free;
  return [[...staying, ...coming.slice(0, taken)], coming.slice(taken)];
}

const compared = <V extends string | number>(one: V, other: V): number => (one < other ? -1 : one > other ? 1 : 0);
const byName = (one: Branch, other: Branch) => compared(one.object.name, other.object.name);
const worstFirst = (one: Branch, other: Branch) => other.attention - one.attention || byName(one, other);

function seenObject<T extends GraphObject>(branch: Branch<T>, parent: Seen<T> | undefined): Seen<T> {
  return {
    key: branch.object.key,
    parent,
    depth: parent ? parent.depth + 1 : 0,
    children: [],
    branch,
    kind: kindOf(branch.object),
    attention: branch.attention,
    worst: branch.worst,
    openable: branch.children.length > 0,
    open: false,
    hidden: branch.size - 1,
    crowded: false,
  };
}

function seenGroup<T extends GraphObject>(
  parent: Seen<T>,
  id: string,
  kind: string,
  members: readonly Branch<T>[],
): Seen<T> {
  return {
    key: `${parent.key}>${id}`,
    parent,
    depth: parent.depth + 1,
    children: [],
    members,
    kind,
    attention: members.reduce((most, each) => Math.max(most, each.attention), 0),
    worst: members.reduce<Health | undefined>((worst, each) => worseOf(worst, each.worst), undefined),
    openable: true,
    open: false,
    hidden: members.reduce((sum, each) => sum + each.size, 0),
    crowded: false,
  };
}
