import { ListTree, Network } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { everyBranch } from "@/graph/forest";
import { Button } from "@/kit/button";
import { INPUT } from "@/kit/field";
import { Menu, MenuSwitch } from "@/kit/menu";
import { HEALTH_ORDER } from "@/kit/model/status";
import type { Topology } from "./use-topology";

const TYPED_MS = 200;

interface TopologyBarProps {
  topology: Topology;
  /** The server has left some out. */
  cut: boolean;
  /** What it could not look at, and why; empty where it saw all. */
  unseen: string;
}

/** What is shown and how; all of it is in the address. */
export function TopologyBar({ topology: { whole, root, search, change }, cut, unseen }: TopologyBarProps) {
  const all = everyBranch(whole).slice(1);
  const kinds = [...new Set(all.map((branch) => branch.object.kind))].sort();
  const present = HEALTH_ORDER.filter((health) => all.some((branch) => branch.object.health === health));
  const shown = root === whole ? all.length : everyBranch(root).filter((branch) => branch.matched).length;
  const other = search.view === "graph" ? "outline" : "graph";
  useKeys([
    {
      id: "topology-view",
      keys: "v",
      title: "Graph or outline",
      group: "Topology",
      run: () => change({ view: other }),
    },
  ]);
  return (
    <section className="flex flex-wrap items-center gap-2" aria-label="Which objects, and how">
      <NameFilter text={search.text ?? ""} onChange={(text) => change({ text })} />
      <Choices
        title="Kind"
        options={kinds}
        chosen={search.kinds ?? []}
        onChange={(chosen) => change({ kinds: chosen })}
      />
      <Choices
        title="Health"
        options={present}
        chosen={search.health ?? []}
        onChange={(chosen) => change({ health: chosen })}
      />
      <p role="status" className="flex-1 text-sm text-soft">
        {root === whole ? `${all.length} objects` : `${shown} of ${all.length} objects`}
        {cut && "; there are more than the server tells"}
        {unseen && <span className="break-words text-degraded">; {unseen}</span>}
      </p>
      <Button icon={other === "outline" ? ListTree : Network} onClick={() => change({ view: other })}>
        Show as {other}
      </Button>
    </section>
  );
}

function NameFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  if (known !== text) {
    setKnown(text);
    setTyped(text);
  }
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = setTimeout(() => onChange(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  useKeys([
    { id: "topology-filter", keys: "f", title: "Filter", group: "Topology", run: () => input.current?.focus() },
  ]);
  return (
    <input
      ref={input}
      type="search"
      aria-label="Filter objects by name"
      placeholder="Name, kind or namespace"
      className={`${INPUT} max-w-64`}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

interface ChoicesProps {
  title: string;
  options: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function Choices({ title, options, chosen, onChange }: ChoicesProps) {
  const label = chosen.length === 0 ? title : `${title}: ${chosen.length === 1 ? chosen[0] : chosen.length}`;
  return (
    <Menu label={label}>
      {options.map((option) => (
        <MenuSwitch
          key={option}
          label={option}
          checked={chosen.includes(option)}
          onChange={(on) => onChange(on ? [...chosen, option] : chosen.filter((each) => each !== option))}
        />
      ))}
    </Menu>
  );
}
