import type { Cause, ClaimState, Place, Tree, TreeNode } from "./wire";

/** A node with what it is made of. */
export interface Branch {
  node: TreeNode;
  key: string;
  branches: Branch[];
}

/** As many that are well are shown beside each other; what is beyond is one line that counts them. */
const FEW = 3;
/** A tree in which nothing is wrong is open as a whole while it is no larger than this. */
const SMALL = 16;
/** More lines than anybody reads, and than a page draws at once. */
export const MOST_LINES = 300;

/** Says the same thing in every answer, so that it can be in a URL. */
export const keyOf = ({ group, kind, namespace, name }: Place): string =>
  [group ? `${kind}.${group}` : kind, namespace, name].filter(Boolean).join("/");

/** The tree that the list of *nodes* stands for. Parents come before their parts. */
export function grown(nodes: readonly TreeNode[]): Branch | undefined {
  const known = new Map<number, Branch>();
  for (const node of nodes) {
    const branch: Branch = { node, key: keyOf(node), branches: [] };
    known.set(node.id, branch);
    if (node.parent !== undefined) known.get(node.parent)?.branches.push(branch);
  }
  return nodes[0] && known.get(nodes[0].id);
}

/** What is wrong at the deepest is what is wrong with the whole, while a claim itself only waits. */
export const worstOf = (own: ClaimState, tree: Tree | undefined): ClaimState =>
  own !== "well" && tree?.nodes.some((node) => node.state === "wrong") ? "wrong" : own;

const isWell = ({ node }: Branch): boolean => node.state === "well" && node.presence === "present" && !node.drift;

/** Whether all is well from here down. */
export const allWell = (branch: Branch): boolean => isWell(branch) && branch.branches.every(allWell);

export const sizeOf = (branch: Branch): number => branch.branches.reduce((sum, each) => sum + sizeOf(each), 1);

/** The nodes on the way from the root to what fits, the root first. Empty where nothing does. */
export function pathTo(root: Branch, fits: (branch: Branch) => boolean): Branch[] {
  if (fits(root)) return [root];
  for (const branch of root.branches) {
    const path = pathTo(branch, fits);
    if (path.length > 0) return [root, ...path];
  }
  return [];
}

/** What is open before anybody touched it: the way to all that is not well, and to what somebody looks at. */
export function openAtFirst(root: Branch, looked: string): ReadonlySet<string> {
  const open = new Set([root.key]);
  const whole = sizeOf(root) <= SMALL && allWell(root);
  const walk = (branch: Branch): void => {
    if (branch.branches.length > 0 && (whole || !branch.branches.every(allWell))) open.add(branch.key);
    branch.branches.forEach(walk);
  };
  walk(root);
  for (const branch of pathTo(root, (each) => each.key === looked).slice(0, -1)) {
    open.add(branch.key);
    if (hiddenAmong(branch).some((each) => each.key === looked || pathTo(each, ({ key }) => key === looked).length))
      open.add(groupKey(branch));
  }
  return open;
}

/** The one that somebody should look at first: the deepest cause, or else the root. */
export function firstLook(root: Branch, cause: Cause | undefined): string {
  const deepest = cause?.path.at(-1);
  if (!deepest) return root.key;
  const key = keyOf(deepest);
  return pathTo(root, (branch) => branch.key === key).length > 0 ? key : root.key;
}

interface Placed {
  key: string;
  level: number;
  /** Among its siblings, from one. */
  place: number;
  siblings: number;
}

export type Line =
  | (Placed & { kind: "node"; branch: Branch; open: boolean | undefined })
  | (Placed & { kind: "group"; count: number; said: string; open: boolean });

const groupKey = (parent: Branch): string => `${parent.key} +`;

/** Siblings that are well and more than a few, which one line stands for. */
function hiddenAmong(parent: Branch): Branch[] {
  const well = parent.branches.filter(allWell);
  return well.length > FEW + 1 ? well : [];
}

/** The lines to draw, top to bottom; *open* has the keys of what is unfolded. */
export function linesOf(root: Branch, open: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  const add = (branch: Branch, placed: Placed): void => {
    const unfolds = branch.branches.length > 0;
    const isOpen = unfolds && open.has(branch.key);
    lines.push({ kind: "node", branch, open: unfolds ? isOpen : undefined, ...placed });
    if (isOpen) addParts(branch, placed.level + 1);
  };
  const addParts = (parent: Branch, level: number): void => {
    const hidden = hiddenAmong(parent);
    const folded = hidden.length > 0 && !open.has(groupKey(parent));
    // What is not well comes first, whatever the order in which it was made.
    const shown = [
      ...parent.branches.filter((each) => !allWell(each)),
      ...(folded ? [] : parent.branches.filter(allWell)),
    ];
    const siblings = shown.length + (hidden.length > 0 ? 1 : 0);
    for (const [place, branch] of shown.entries()) add(branch, { key: branch.key, level, place: place + 1, siblings });
    if (hidden.length === 0) return;
    const said = kindsSaid(hidden);
    const placed = { key: groupKey(parent), level, place: siblings, siblings };
    lines.push({ kind: "group", count: hidden.length, said, open: !folded, ...placed });
  };
  add(root, { key: root.key, level: 1, place: 1, siblings: 1 });
  return lines;
}

/** `4 Subnet, 2 Route`, the most first. */
function kindsSaid(branches: readonly Branch[]): string {
  const counts = new Map<string, number>();
  for (const { node } of branches) counts.set(node.kind, (counts.get(node.kind) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
