import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ApplicationTabProps } from "@/app/feature";
import { useTabSearch } from "@/app/tab-search";
import { chosenItems, kindsOf } from "@/diff/choice";
import { objectKey } from "@/diff/names";
import { useApplication } from "@/features/application/api";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { diffQuery } from "./api";
import { DiffFilters } from "./filters";
import { diffSearch, diffSentence, stampOf } from "./model/search";
import { SIDE_SENTENCES } from "./model/sides";
import { ObjectDiff } from "./object";

/** Objects beyond so many are closed until somebody opens them. */
const OPEN = 12;

/** How what is there differs from what Git asks for, and who made it so. */
export default function DiffTab({ namespace, name }: ApplicationTabProps) {
  const [search, setSearch] = useTabSearch(diffSearch);
  const application = useApplication(namespace, name);
  const stamp = stampOf(application.data ?? {});
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...diffQuery(namespace, name, search.all, stamp),
    enabled: application.data !== undefined,
  });
  const items = useMemo(() => data?.items ?? [], [data]);
  const shown = chosenItems(items, search);
  const differing = items.filter((item) => item.state !== "Synced").length;
  const clear = () => setSearch({ q: "", kind: "", object: "" });

  if (isPending) return <Loading sentence="Git and the cluster are being compared." />;
  if (error && !data) return <Failed error={error} what="The differences" onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-3" aria-busy={isPlaceholderData}>
      <div className="flex flex-wrap items-center gap-3">
        <DiffFilters search={search} kinds={kindsOf(items)} onSearch={setSearch} />
        <CopyMenu command={`plumb app diff ${name}`} />
      </div>
      <p role="status" className="text-sm text-soft">
        {diffSentence(differing, shown.length, data?.status ?? "")} {SIDE_SENTENCES[search.show]}
      </p>
      {search.object && (
        <p className="text-sm">
          Only one object is shown. <Button onClick={clear}>Show all</Button>
        </p>
      )}
      {items.length === 0 && (
        <Empty sentence="Everything is as Git asks for." command={`plumb app diff ${name}`}>
          <Button onClick={() => setSearch({ all: true })}>Show all objects</Button>
        </Empty>
      )}
      {items.length > 0 && shown.length === 0 && (
        <NothingFound sentence="No difference fits the filter.">
          <Button onClick={clear}>Show all differences</Button>
        </NothingFound>
      )}
      {shown.map((item, place) => (
        <ObjectDiff
          key={objectKey(item)}
          application={{ namespace, name }}
          item={item}
          side={search.show}
          stamp={stamp}
          open={place < OPEN}
          onOnly={() => setSearch({ object: objectKey(item) })}
        />
      ))}
    </div>
  );
}
