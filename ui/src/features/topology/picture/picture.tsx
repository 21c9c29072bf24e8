import { Controls, type Edge, type Node, ReactFlow, ReactFlowProvider, useReactFlow, useStoreApi } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "./picture.css";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { lines, movedInPicture } from "@/graph/outline";
import { around, fitting, NODE_HEIGHT, NODE_WIDTH, type Places, viewOf } from "@/graph/places";
import { everySeen, type Seen } from "@/graph/sight";
import type { Resource } from "../model/resource";
import type { Topology } from "../use-topology";
import { GraphNode, type NodeContent } from "./node";
import { useDrawing } from "./use-drawing";

const TYPES = { seen: GraphNode };
const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT };
/** Said here, so that edges need no measuring before they can be drawn. */
const HANDLES = [
  { type: "target", position: "left", x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
  { type: "source", position: "right", x: NODE_WIDTH, y: NODE_HEIGHT / 2, width: 1, height: 1 },
] as unknown as NonNullable<Node["handles"]>;

export default function Picture({ topology }: { topology: Topology }) {
  return (
    <ReactFlowProvider>
      <Canvas topology={topology} />
    </ReactFlowProvider>
  );
}

function Canvas({ topology }: { topology: Topology }) {
  const { root, places } = useDrawing(topology);
  const [wanted, setWanted] = useState("");
  const current = places.has(wanted) ? wanted : root.key;
  const all = useMemo(() => lines(root), [root]);
  const { nodes, edges } = useElements(root, places, current, topology);
  const frame = useRef<HTMLElement>(null);
  const { setCenter, getZoom } = useReactFlow();
  useFirstLook(root, places);

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = movedInPicture(all, current, event.key);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if ("open" in move) topology.toggle(move.open, true);
    else if ("shut" in move) topology.toggle(move.shut, false);
    else {
      setWanted(move.to);
      const node = frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(move.to)}"]`);
      node?.focus({ preventScroll: true });
      const place = places.get(move.to);
      if (place && !inside(node, frame.current)) {
        void setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: getZoom() });
      }
    }
  };

  return (
    <section
      ref={frame}
      aria-label={`Graph of ${all.length} nodes. Arrow keys go along it; the outline shows the same as a list.`}
      className="min-h-0 flex-1 rounded-lg border border-line bg-canvas"
      onKeyDown={pressed}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} position="bottom-left" />
      </ReactFlow>
    </section>
  );
}

/** Whether all of it is in sight. */
function inside(node: Element | null | undefined, frame: Element | null): boolean {
  if (!node || !frame) return true;
  const [one, other] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
  return one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;
}

function useElements(root: Seen<Resource>, places: Places, current: string, topology: Topology) {
  const { toggle, choose } = topology;
  return useMemo(() => {
    const drawn = everySeen(root);
    const nodes: Node<NodeContent>[] = drawn.map((seen) => ({
      id: seen.key,
      type: "seen",
      position: places.get(seen.key) ?? { x: 0, y: 0 },
      ...SIZE,
      measured: SIZE,
      handles: HANDLES,
      // What can neither be dragged nor selected is out of reach of pointers, unless it says otherwise.
      style: { pointerEvents: "all" },
      data: {
        seen,
        health: seen.branch ? seen.branch.object.health : seen.worst,
        current: seen.key === current,
        toggle,
        choose,
      },
    }));
    const edges: Edge[] = drawn.flatMap(({ key, parent, attention }) =>
      parent
        ? [
            {
              id: key,
              source: parent.key,
              target: key,
              ...(attention > 1 ? { className: attention > 3 ? "troubled" : "unsettled" } : {}),
              focusable: false,
            },
          ]
        : [],
    );
    return { nodes, edges };
  }, [root, places, current, toggle, choose]);
}

/** Below this nobody reads a name. */
const READABLE = 0.75;

const keyOf = (seen: Seen): string => seen.key;

/** At first everything is in sight if it can be read then, or else the trouble, or else the beginning; later nobody's view is moved. */
function useFirstLook(root: Seen<Resource>, places: Places): void {
  const { setViewport, viewportInitialized } = useReactFlow();
  const store = useStoreApi();
  const looked = useRef(false);
  useEffect(() => {
    if (looked.current || !viewportInitialized) return;
    looked.current = true;
    const { width, height } = store.getState();
    const drawn = everySeen(root);
    const whole = around(places, drawn.map(keyOf));
    const troubled = around(places, drawn.filter((seen) => seen.attention > 1).map(keyOf));
    const all = whole && fitting(whole, { width, height }) >= READABLE;
    const box = all ? whole : (troubled ?? whole);
    if (box) void setViewport(viewOf(box, { width, height }, READABLE));
  }, [root, places, setViewport, viewportInitialized, store]);
}
