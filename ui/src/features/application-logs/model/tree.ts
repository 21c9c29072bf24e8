/** A node of `GET applications/NAME/resource-tree`. */
export interface TreeNode {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  parentRefs?: { uid?: string }[];
  health?: { status?: string; message?: string };
}

export interface ResourceTree {
  nodes?: TreeNode[];
}

export const nodeTitle = ({ kind, namespace, name }: TreeNode): string =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/** What has pods behind it: who prints, and whom one asks for it. */
export interface Workload {
  node: TreeNode;
  pods: TreeNode[];
}

const isPod = (node: TreeNode): boolean => node.kind === "Pod" && !node.group;

/** Pods of the tree, and the topmost objects that they stand behind, by name. */
export function workloadsOf(nodes: readonly TreeNode[]): Workload[] {
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  const top = (node: TreeNode, seen: ReadonlySet<TreeNode> = new Set()): TreeNode => {
    const parent = node.parentRefs?.map((ref) => byUid.get(ref.uid)).find((each) => each !== undefined);
    return parent && !seen.has(parent) ? top(parent, new Set([...seen, node])) : node;
  };
  const found = new Map<TreeNode, TreeNode[]>();
  for (const pod of nodes.filter(isPod)) {
    const owner = top(pod);
    found.set(owner, [...(found.get(owner) ?? []), pod]);
  }
  return [...found]
    .map(([node, pods]) => ({ node, pods }))
    .sort((one, other) => one.node.name.localeCompare(other.node.name));
}

export const sourceKey = ({ group = "", kind, namespace = "", name }: TreeNode): string =>
  [group, kind, namespace, name].join("/");
