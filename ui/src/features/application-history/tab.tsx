import { useQuery } from "@tanstack/react-query";
import type { ApplicationTabProps } from "@/app/feature";
import { useGo } from "@/app/go";
import { useTabSearch } from "@/app/tab-search";
import { useApplication } from "@/features/application/api";
import { type OneApplication, underWay } from "@/features/application-sync/model/application";
import { CopyMenu } from "@/kit/copy-menu";
import { Empty, Failed, Loading } from "@/kit/state";
import { historyQuery } from "./api";
import { Compare } from "./compare";
import { chosenAfter, historySearch, itemKey, pairOf } from "./model/history";
import { PinBanner } from "./pin-banner";
import { HistoryRow } from "./row";

const HEADS = ["Compare", "Sync", "Revision", "Commit", "Images", "Result", "Duration", "By", "Go back"];

/** What the application was synced to, by whom and why; any two can be compared, and any gone back to. */
export default function HistoryTab({ namespace, name }: ApplicationTabProps) {
  const go = useGo();
  const [{ compare }, setSearch] = useTabSearch(historySearch);
  const application = useApplication(namespace, name).data as OneApplication | undefined;
  const { phase, startedAt, finishedAt } = application?.status?.operationState ?? {};
  const { data, error, isPending, refetch } = useQuery({
    ...historyQuery(namespace, name, [phase, startedAt, finishedAt].join()),
    enabled: application !== undefined,
  });
  if (isPending || !application) return <Loading sentence="The history is on its way." />;
  if (error && !data) return <Failed error={error} what="The history" onRetry={() => void refetch()} />;
  const items = data?.items ?? [];
  if (items.length === 0) {
    return <Empty sentence={`${name} was never synced.`} command={`plumb app sync ${name} --dry-run`} />;
  }
  const pair = pairOf(items, compare);
  const current = items.find((item) => item.id !== undefined);
  const choose = (key: string, on: boolean) => setSearch({ compare: chosenAfter(compare, key, on).join("~") });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-3">
        <p className="flex-1 text-sm text-soft">
          {pair ? "Two syncs are compared below." : "Choose two to compare what Git asked for."}
        </p>
        <CopyMenu command={`plumb app history ${name}`} />
      </div>
      <PinBanner namespace={namespace} name={name} application={application} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label="Past syncs" className="overflow-x-auto">
        <table className="w-full border-collapse text-left text-sm">
          <caption className="sr-only">Syncs of {name}, the newest first</caption>
          <thead>
            <tr className="border-b border-line text-soft">
              {HEADS.map((head) => (
                <th key={head} scope="col" className="px-2 py-1.5 font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <HistoryRow
                key={itemKey(item)}
                item={item}
                chosen={compare.includes(itemKey(item))}
                current={item === current}
                busy={underWay(application)}
                onChoose={(on) => choose(itemKey(item), on)}
                onBack={() => go.drawer("rollback", `${namespace}/${name}/${item.id}`)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {pair && <Compare namespace={namespace} name={name} older={pair[0]} newer={pair[1]} />}
    </div>
  );
}
