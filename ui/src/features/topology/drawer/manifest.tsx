import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "@/kit/checkbox";
import { yamlOf } from "@/kit/model/yaml";
import { Failed, Loading } from "@/kit/state";
import { withoutManagers } from "../model/manifest";

/** The live object as YAML, to be read. The server has masked what is secret. */
export function Manifest({ query }: { query: UseQueryResult<Record<string, unknown>> }) {
  const [managers, setManagers] = useState(false);
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading sentence="The object is on its way." />;
  if (error && !data) return <Failed error={error} what="The object" onRetry={() => void refetch()} />;
  const text = yamlOf(managers ? data : withoutManagers(data));
  return (
    <div className="flex flex-col gap-2">
      <Checkbox label="With who wrote which field (managedFields)" checked={managers} onToggle={setManagers} />
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        aria-label="Live object as YAML"
        className="overflow-x-auto rounded-md border border-line bg-canvas p-3"
      >
        <pre className="font-mono text-xs leading-5">{text}</pre>
      </section>
    </div>
  );
}
