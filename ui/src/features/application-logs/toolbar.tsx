import { Download, Pause, Play } from "lucide-react";
import { useState } from "react";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { CopyMenu } from "@/kit/copy-menu";
import { INPUT } from "@/kit/field";
import { type LogSearch, SINCES, TAILS, USUAL_TAIL } from "./model/search";
import { nodeTitle, sourceKey, type Workload } from "./model/tree";

export type LogChange = Partial<Record<keyof LogSearch, unknown>>;

interface ToolbarProps {
  search: LogSearch;
  workloads: readonly Workload[];
  pods: readonly string[];
  containers: readonly string[];
  held: boolean;
  waiting: number;
  command: string;
  onSearch: (changed: LogChange) => void;
  onHold: (held: boolean) => void;
  onDownload: () => void;
}

const SELECT = "h-9 max-w-64 rounded-md border border-edge bg-surface px-2 text-ink";

export function LogToolbar(props: ToolbarProps) {
  const { search, workloads, pods, containers, held, waiting, onSearch, onHold } = props;
  const ask = (changed: LogChange) => onSearch({ line: "", ...changed });
  return (
    <search className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <select
        aria-label="Workload"
        className={SELECT}
        value={search.source}
        onChange={(event) => ask({ source: event.currentTarget.value, pod: "", container: "" })}
      >
        <option value="">All pods</option>
        {workloads.map(({ node }) => (
          <option key={sourceKey(node)} value={sourceKey(node)}>
            {nodeTitle(node)}
          </option>
        ))}
      </select>
      <select
        aria-label="Pod"
        className={SELECT}
        value={search.pod}
        onChange={(event) => ask({ pod: event.currentTarget.value })}
      >
        <option value="">{pods.length} pods, merged</option>
        {pods.map((pod) => (
          <option key={pod}>{pod}</option>
        ))}
      </select>
      <select
        aria-label="Container"
        className={SELECT}
        value={search.container}
        onChange={(event) => ask({ container: event.currentTarget.value })}
      >
        <option value="">Usual container</option>
        {containers.map((container) => (
          <option key={container}>{container}</option>
        ))}
      </select>
      <select
        aria-label="Lines"
        className={SELECT}
        value={search.tail}
        onChange={(event) =>
          ask({ tail: event.currentTarget.value === String(USUAL_TAIL) ? "" : Number(event.currentTarget.value) })
        }
      >
        {TAILS.map((tail) => (
          <option key={tail} value={tail}>
            last {tail.toLocaleString("en")}
          </option>
        ))}
      </select>
      <select
        aria-label="Since"
        className={SELECT}
        value={search.since}
        onChange={(event) => ask({ since: Number(event.currentTarget.value) })}
      >
        {SINCES.map(([seconds, label]) => (
          <option key={seconds} value={seconds}>
            {seconds ? `last ${label}` : label}
          </option>
        ))}
      </select>
      <FilterInput filter={search.filter} onFilter={(filter) => ask({ filter })} />
      <Checkbox label="Match case" checked={search.matchCase} onToggle={(on) => ask({ matchCase: on })} />
      <Checkbox
        label="Follow"
        checked={search.follow}
        disabled={search.previous}
        onToggle={(on) => ask({ follow: on ? "" : "no" })}
      />
      <Checkbox label="Before the restart" checked={search.previous} onToggle={(on) => ask({ previous: on })} />
      <span className="flex-1" />
      <Button icon={held ? Play : Pause} aria-pressed={held} onClick={() => onHold(!held)}>
        {held ? `Go on${waiting > 0 ? `: ${waiting.toLocaleString("en")} new` : ""}` : "Pause"}
      </Button>
      <Button icon={Download} onClick={props.onDownload}>
        Download
      </Button>
      <CopyMenu command={props.command} />
    </search>
  );
}

/** Asks when somebody is done typing: each question is a stream of its own. */
function FilterInput({ filter, onFilter }: { filter: string; onFilter: (filter: string) => void }) {
  const [text, setText] = useState(filter);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onFilter(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Filter lines, then Enter"
        placeholder="Text, or !text; then Enter"
        className={`${INPUT} max-w-52`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => text.trim() !== filter && onFilter(text.trim())}
      />
    </form>
  );
}
