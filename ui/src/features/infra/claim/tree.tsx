import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { classes } from "@/kit/classes";
import { moveOf } from "../model/keys";
import { type Branch, type Line, linesOf, MOST_LINES, openAtFirst } from "../model/tree";
import { conditionWord, PRESENCE_SAID, partsSaid, ROLE_WORDS } from "../model/words";
import { Simulated } from "../simulated";
import { InfraState } from "../state";

interface TreeProps {
  root: Branch;
  label: string;
  /** The node that is looked at. */
  looked: string;
  onLook: (key: string) => void;
}

/** From the claim to the cloud, as an outline. What is wrong is open; what is well and alike is one line. */
export function InfraTree({ root, label, looked, onLook }: TreeProps) {
  const box = useRef<HTMLDivElement>(null);
  const first = useMemo(() => openAtFirst(root, looked), [root, looked]);
  // Only what somebody folded or unfolded: the rest follows what is the case.
  const [touched, setTouched] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [stood, setStood] = useState("");
  const open = useMemo(() => withTouched(first, touched), [first, touched]);
  const all = useMemo(() => linesOf(root, open), [root, open]);
  const lines = all.slice(0, MOST_LINES);
  const current = lines.some((line) => line.key === stood) ? stood : looked;

  const toggle = (key: string) => setTouched((before) => new Map(before).set(key, !open.has(key)));
  const stand = (key: string) => {
    setStood(key);
    box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const line = lines.find((each) => each.key === current);
    if (event.key === "Enter" || event.key === " ") {
      if (line?.kind === "group") toggle(line.key);
      else if (line) onLook(line.key);
    } else {
      const move = moveOf(event.key, lines, current);
      if (!move) return;
      if (move.toggle) toggle(move.toggle);
      if (move.to) stand(move.to);
    }
    event.preventDefault();
  };
  return (
    <>
      <div ref={box} role="tree" aria-label={label} onKeyDown={press} className="text-sm">
        {lines.map((line) => (
          <TreeLine
            key={line.key}
            line={line}
            looked={line.key === looked}
            current={line.key === current}
            onToggle={() => toggle(line.key)}
            onLook={() => {
              setStood(line.key);
              if (line.kind === "group") toggle(line.key);
              else onLook(line.key);
            }}
          />
        ))}
      </div>
      {all.length > lines.length && (
        <p className="px-3 py-2 text-sm text-soft">
          {(all.length - lines.length).toLocaleString("en")} more lines are not drawn; fold some of these.
        </p>
      )}
    </>
  );
}

function withTouched(first: ReadonlySet<string>, touched: ReadonlyMap<string, boolean>): ReadonlySet<string> {
  const open = new Set(first);
  for (const [key, isOpen] of touched) {
    if (isOpen) open.add(key);
    else open.delete(key);
  }
  return open;
}

interface LineProps {
  line: Line;
  looked: boolean;
  current: boolean;
  onToggle: () => void;
  onLook: () => void;
}

const INDENTS = ["pl-1", "pl-6", "pl-11", "pl-16", "pl-21", "pl-26", "pl-31", "pl-36"] as const;

function TreeLine({ line, looked, current, onToggle, onLook }: LineProps) {
  const Chevron = line.open ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys of all of its items
    <div
      role="treeitem"
      data-key={line.key}
      tabIndex={current ? 0 : -1}
      aria-level={line.level}
      aria-posinset={line.place}
      aria-setsize={line.siblings}
      aria-selected={looked}
      {...(line.open === undefined ? {} : { "aria-expanded": line.open })}
      onClick={onLook}
      className={classes(
        "flex cursor-pointer items-start gap-1.5 border-b border-line py-1.5 pr-3 hover:bg-hover aria-selected:bg-chosen",
        INDENTS[Math.min(line.level, INDENTS.length) - 1],
      )}
    >
      {line.open === undefined ? (
        <span className="w-6 shrink-0" />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: for those who point; keys fold by arrows
        // biome-ignore lint/a11y/useKeyWithClickEvents: same
        <span
          className="inline-flex size-6 shrink-0 items-center justify-center"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <Chevron aria-hidden size={15} />
        </span>
      )}
      {line.kind === "group" ? <GroupLine line={line} /> : <NodeLine branch={line.branch} />}
    </div>
  );
}

function GroupLine({ line }: { line: Extract<Line, { kind: "group" }> }) {
  return (
    <span className="min-h-6 text-soft">
      {line.count} {line.open ? "of these are" : "more are"} ready: {line.said}
    </span>
  );
}

function NodeLine({ branch: { node } }: { branch: Branch }) {
  const nothing = PRESENCE_SAID[node.presence] || partsSaid(node);
  return (
    <span className="flex min-w-0 flex-1 flex-col">
      <span className="flex flex-wrap items-center gap-x-3">
        <span className="min-w-0 font-medium break-all">{node.name}</span>
        <span className="text-soft">
          {node.kind} · {ROLE_WORDS[node.role]}
        </span>
        <span className="ml-auto">
          <InfraState of={node} />
        </span>
      </span>
      <span className="flex flex-wrap gap-x-3 text-xs text-soft">
        {node.presence === "present" && node.role !== "object" && (
          <span>
            {conditionWord("Synced", node.synced)} · {conditionWord("Ready", node.ready)}
          </span>
        )}
        {node.externalName && <code className="font-mono break-all">{node.externalName}</code>}
        <Simulated said={node.simulated} />
        {node.drift && <span className="text-outofsync">drifted</span>}
      </span>
      {node.state === "wrong" && node.message && (
        <span className="line-clamp-2 text-xs break-words text-degraded">{node.message}</span>
      )}
      {nothing && <span className="text-xs text-soft italic">{nothing}</span>}
    </span>
  );
}
