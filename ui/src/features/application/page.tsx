import { Suspense } from "react";
import type { ApplicationTab, ApplicationTabProps } from "@/app/feature";
import { useFeatures } from "@/app/features-context";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { sourceText } from "@/features/applications/model/row";
import { CopyMenu } from "@/kit/copy-menu";
import { healthOf, syncOf } from "@/kit/model/status";
import { yamlOf } from "@/kit/model/yaml";
import { Failed, Loading } from "@/kit/state";
import { HealthStatus, SyncStatus } from "@/kit/status";
import { useApplication } from "./api";
import { applicationRoute } from "./routes";
import { ApplicationTabs } from "./tabs";

export default function ApplicationPage() {
  const { namespace, name } = applicationRoute.useParams();
  const { tab } = applicationRoute.useSearch();
  const { data, error, isPending, refetch } = useApplication(namespace, name);
  const tabs = useTabs(namespace, name);
  const open = tabs.find((each) => each.id === tab) ?? tabs[0];

  if (isPending) return <Loading sentence={`${name} is on its way.`} />;
  if (error) return <Failed error={error} what={name} onRetry={() => void refetch()} />;
  const { spec = {}, status = {} } = data;
  return (
    <div className="flex h-full flex-col">
      <header className="flex flex-wrap items-center gap-x-5 gap-y-1 px-4 pt-3">
        <h1 className="text-lg font-semibold">{name}</h1>
        <HealthStatus status={healthOf(status.health?.status)} why={status.health?.message} />
        <SyncStatus status={syncOf(status.sync?.status)} />
        <span className="flex-1" />
        <ApplicationActions namespace={namespace} name={name} />
        <CopyMenu command={`plumb app get ${name}`} yaml={() => yamlOf(data)} />
        <p className="min-w-0 basis-full truncate text-sm text-soft">
          {spec.project} · {sourceText(spec.source ?? spec.sources?.[0])}
        </p>
      </header>
      {status.health?.message && <p className="px-4 pt-1 text-sm text-degraded">{status.health.message}</p>}
      <ApplicationTabs tabs={tabs} open={open?.id ?? ""} />
      <div id="tab" role="tabpanel" aria-label={open?.title ?? ""} className="min-h-0 flex-1 overflow-auto p-4">
        {open && (
          <Suspense fallback={<Loading sentence={`${open.title} is on its way.`} />}>
            <open.body namespace={namespace} name={name} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

function ApplicationActions(props: ApplicationTabProps) {
  const all = useFeatures().flatMap((each) =>
    each.applicationActions ? [[each.id, each.applicationActions] as const] : [],
  );
  return (
    <Suspense fallback={null}>
      {all.map(([id, Actions]) => (
        <Actions key={id} {...props} />
      ))}
    </Suspense>
  );
}

/** The tabs that rooms add, each with its key. */
function useTabs(namespace: string, name: string): ApplicationTab[] {
  const go = useGo();
  const tabs = useFeatures()
    .flatMap((each) => each.applicationTabs ?? [])
    .sort((one, other) => one.order - other.order);
  const path = `/applications/${namespace}/${name}`;
  useKeys([
    {
      id: "application-back",
      keys: "Escape",
      title: "Back to the list",
      group: "Application",
      run: () => go.to("/applications"),
    },
    ...tabs
      .filter((tab) => tab.key)
      .map((tab) => ({
        id: `application-tab-${tab.id}`,
        keys: tab.key ?? "",
        title: tab.title,
        group: "Application",
        run: () => go.to(path, { tab: tab.id }),
      })),
  ]);
  return tabs;
}
