import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { Boxes, Cloud, type LucideIcon, Minus, Plus } from "lucide-react";
import { memo } from "react";
import type { Seen } from "@/graph/sight";
import { classes } from "@/kit/classes";
import type { Health } from "@/kit/model/status";
import { HealthStatus } from "@/kit/status";
import type { Resource } from "../model/resource";
import { detailOf, titleOf } from "../model/words";

export interface NodeContent extends Record<string, unknown> {
  seen: Seen<Resource>;
  health: Health | undefined;
  /** Where the Tab key comes to. */
  current: boolean;
  toggle: (key: string, open: boolean) => void;
  choose: (seen: Seen<Resource>) => void;
}

/** An object, or a group of them with its count. The size is fixed, so that nothing moves while it loads. */
export const GraphNode = memo(function GraphNode({ data }: NodeProps<Node<NodeContent>>) {
  const { seen, health, current, toggle, choose } = data;
  const object = seen.branch?.object;
  return (
    <div
      className={classes(
        "flex h-full w-full items-stretch rounded-lg border bg-surface",
        health === "Degraded" ? "border-degraded" : object ? "border-line" : "border-edge",
        !object && "border-dashed",
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        data-node={seen.key}
        tabIndex={current ? 0 : -1}
        {...(object ? {} : { "aria-expanded": seen.open })}
        className="nodrag nopan flex min-w-0 flex-1 flex-col justify-center gap-0.5 rounded-lg px-2.5 text-left hover:bg-hover"
        onClick={() => choose(seen)}
      >
        <span className="flex w-full items-center gap-1.5">
          <KindSign icon={object ? (object.infrastructure ? Cloud : undefined) : Boxes} />
          <span className="min-w-0 flex-1 truncate text-sm font-medium">{titleOf(seen)}</span>
        </span>
        <span className="flex w-full items-center gap-2 text-xs text-soft">
          {health && <HealthStatus status={health} />}
          {object?.sync === "OutOfSync" && <span className="text-outofsync">Out of sync</span>}
          <span className="min-w-0 flex-1 truncate">{object ? detailOf(object) : counted(seen)}</span>
        </span>
      </button>
      {seen.openable && object && seen.parent && (
        <button
          type="button"
          tabIndex={-1}
          disabled={seen.crowded}
          aria-label={`${seen.open ? "Close" : "Open"} ${object.kind} ${object.name}`}
          className="nodrag nopan flex min-w-7 items-center justify-center gap-0.5 rounded-r-lg border-l border-line px-1 text-xs text-soft hover:bg-hover"
          onClick={() => toggle(seen.key, !seen.open)}
        >
          {seen.open ? <Minus aria-hidden size={13} /> : <Plus aria-hidden size={13} />}
          {seen.hidden > 0 && seen.hidden}
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

/** How many objects a group is with all that hangs from it, where that is more than its count. */
function counted({ hidden, members = [], open }: Seen<Resource>): string {
  return !open && hidden > members.length ? `${hidden} objects in all` : "";
}

function KindSign({ icon: Icon }: { icon: LucideIcon | undefined }) {
  return Icon ? <Icon aria-hidden size={14} className="shrink-0 text-soft" /> : null;
}
