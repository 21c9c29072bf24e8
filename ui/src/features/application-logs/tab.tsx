import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ApplicationTabProps } from "@/app/feature";
import { useTabSearch } from "@/app/tab-search";
import { useApplication } from "@/features/application/api";
import type { OneApplication } from "@/features/application-sync/model/application";
import { Button } from "@/kit/button";
import { copyText } from "@/kit/clipboard";
import { Empty, Failed, Loading } from "@/kit/state";
import { podQuery, treeQuery } from "./api";
import { LogLines } from "./lines";
import { textOf } from "./model/buffer";
import { containersOf, deployMarkers, restarted, restartMarkers, withMarkers } from "./model/markers";
import { lineAddress, logCommand, logSearch } from "./model/search";
import { sourceKey, workloadsOf } from "./model/tree";
import { LogToolbar } from "./toolbar";
import { useLogs } from "./use-logs";

/** Of how many pods it is asked when they began again. */
const ASKED = 10;

/** What pods print, merged in the order of time, with what happened to them in between. */
export default function LogsTab({ namespace, name }: ApplicationTabProps) {
  const { data, error, isPending, refetch } = useQuery(treeQuery(namespace, name));
  if (isPending) return <Loading sentence="The pods are being looked for." />;
  if (error) return <Failed error={error} what="The pods" onRetry={() => void refetch()} />;
  const workloads = workloadsOf(data.nodes ?? []);
  if (workloads.length === 0) {
    return (
      <Empty sentence={`${name} has no pods that could print anything.`} command={`plumb app resources ${name}`} />
    );
  }
  return <Reading namespace={namespace} name={name} workloads={workloads} />;
}

function Reading({ namespace, name, workloads }: ApplicationTabProps & { workloads: ReturnType<typeof workloadsOf> }) {
  const [search, setSearch] = useTabSearch(logSearch);
  const [held, setHeld] = useState(false);
  const application = useApplication(namespace, name).data as OneApplication | undefined;
  const chosen = workloads.filter(({ node }) => !search.source || sourceKey(node) === search.source);
  const nodes = chosen.flatMap(({ pods }) => pods);
  const meant = nodes.filter((node) => !search.pod || node.name === search.pod);
  const pods = nodes.map((node) => node.name);
  const found = useQueries({
    queries: meant.slice(0, ASKED).map((node) => podQuery(namespace, name, node)),
    combine: (answers) => answers.flatMap(({ data }) => (data ? [data] : [])),
  });
  const { lines, dropped, waiting, sentence, over, error } = useLogs(namespace, name, search, held);
  const history = application?.status?.history;
  const items = useMemo(
    () => withMarkers(lines, [...restartMarkers(found), ...deployMarkers(history ?? [])]),
    [lines, found, history],
  );
  const again = search.previous ? [] : restarted(found);

  const point = (pod: string, stamp: string) => {
    const here = new URL(window.location.href);
    here.searchParams.set("line", lineAddress(pod, stamp));
    void copyText(here.href, "Link to the line");
  };
  return (
    <div className="flex h-full min-h-80 flex-col gap-2">
      <LogToolbar
        search={search}
        workloads={workloads}
        pods={pods}
        containers={containersOf(found)}
        held={held}
        waiting={waiting}
        command={logCommand(name, search)}
        onSearch={setSearch}
        onHold={setHeld}
        onDownload={() => download(`${name}.log`, textOf(lines))}
      />
      {again.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          {again.join(", ")} {again.length === 1 ? "has" : "have"} begun again.
          <Button onClick={() => setSearch({ previous: true, line: "" })}>See what was printed before</Button>
        </p>
      )}
      {error ? (
        <Failed error={error} what="The logs" onRetry={() => setSearch({ line: "" })} />
      ) : (
        <>
          <p role="status" className="text-sm text-soft">
            {held ? "Paused." : sentence} {lines.length.toLocaleString("en")} {lines.length === 1 ? "line" : "lines"}
            {dropped > 0 && `; ${dropped.toLocaleString("en")} older ones were let go`}.
          </p>
          {over && lines.length === 0 ? (
            <Empty sentence="Nothing was printed that fits." command={logCommand(name, search)} />
          ) : (
            <LogLines items={items} pods={pods} following={search.follow && !held} line={search.line} onPoint={point} />
          )}
        </>
      )}
    </div>
  );
}

function download(file: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = file;
  link.click();
  URL.revokeObjectURL(address);
}
