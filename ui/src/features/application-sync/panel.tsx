import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApplication } from "@/features/application/api";
import { stampOf } from "@/features/application-diff/model/search";
import { Button } from "@/kit/button";
import { Command } from "@/kit/command-line";
import { Failed, Loading } from "@/kit/state";
import { Agreement } from "./agreement";
import { freshPlan, planQuery, useSyncing, windowsQuery } from "./api";
import { type OneApplication, ownOptions, underWay } from "./model/application";
import { frictionOf, overcome } from "./model/friction";
import type { Named } from "./model/named";
import { NO_CHOICE, type SyncChoice, syncBody, syncCommand } from "./model/options";
import { changes, type Plan, rowKey, samePlan } from "./model/plan";
import { SyncOptions } from "./options";
import { PlanView } from "./plan-view";
import { Progress } from "./progress";

const NOT_AGREED = { ticked: false, typed: "" };

/** Plans first: nothing can be started whose effect was not shown. */
export function SyncPanel({ namespace, name }: Named) {
  const named = { namespace, name };
  const found = useApplication(namespace, name);
  const application = found.data as OneApplication | undefined;
  const [choice, setChoice] = useState<SyncChoice>(NO_CHOICE);
  const [agreed, setAgreed] = useState(NOT_AGREED);
  const [begun, setBegun] = useState<Plan>();
  const [moved, setMoved] = useState(false);
  const syncing = useSyncing(named);
  const { prune, revision, options, force } = choice;
  const question = { prune, revision, options };
  const busy = application !== undefined && underWay(application);
  const planned = useQuery({
    ...planQuery(named, question, stampOf(application ?? {})),
    enabled: application !== undefined && !busy,
  });
  const windows = useQuery(windowsQuery(named));

  if (found.error) return <Failed error={found.error} what={name} />;
  if (!application) return <Loading sentence={`${name} is on its way.`} />;
  const state = application.status?.operationState;
  const plan = planned.data;
  const only = (plan?.waves ?? []).flatMap((wave) => wave.rows).filter((row) => choice.only.includes(rowKey(row)));
  const friction = plan ? frictionOf(plan, { prune, force }) : ({ step: "none" } as const);
  const choose = (changed: Partial<SyncChoice>) => {
    setChoice({ ...choice, ...changed });
    setAgreed(NOT_AGREED);
    setMoved(false);
  };
  const start = async () => {
    if (!plan) return;
    const now = choice.dryRun ? plan : await freshPlan(named, question).catch(() => undefined);
    if (now && !samePlan(plan, now)) {
      setMoved(true);
      setAgreed(NOT_AGREED);
      void planned.refetch();
      return;
    }
    setBegun(plan);
    syncing.mutate(syncBody(choice, ownOptions(application), only), { onSuccess: () => setAgreed(NOT_AGREED) });
  };
  const command = syncCommand(name, choice, only);
  const shut = windows.data?.canSync === false;
  return (
    <div className="flex flex-col gap-4">
      {(busy || begun) && (
        <Progress application={named} state={busy || syncing.isSuccess ? (state ?? {}) : undefined} plan={begun} />
      )}
      {syncing.error && <Failed error={syncing.error} what="The sync" />}
      {shut && <p className="text-sm text-degraded">A sync window of the project is closed: a sync is refused now.</p>}
      {!busy && planned.error && (
        <Failed error={planned.error} what="The plan" onRetry={() => void planned.refetch()} />
      )}
      {!busy && planned.isPending && <Loading sentence="It is being planned: nothing changes by that." />}
      {!busy && plan && (
        <>
          <PlanView
            plan={plan}
            stale={planned.isPlaceholderData}
            only={choice.only}
            onOnly={(keys) => choose({ only: keys })}
          />
          <SyncOptions choice={choice} own={ownOptions(application)} onChange={choose} />
          {moved && (
            <p role="alert" className="text-sm text-outofsync">
              Something changed since you looked. This is what a sync would do now; nothing was started.
            </p>
          )}
          <Agreement friction={friction} name={name} agreed={agreed} onAgree={setAgreed} />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              look="primary"
              disabled={
                Boolean(plan.refused) ||
                planned.isPlaceholderData ||
                syncing.isPending ||
                !overcome(friction, agreed, name)
              }
              onClick={() => void start()}
            >
              {choice.dryRun ? "Start the dry run" : only.length > 0 ? `Sync ${only.length} of its objects` : "Sync"}
            </Button>
            {!changes(plan) && <span className="text-sm text-soft">A sync would change nothing.</span>}
            {command && <Command line={command} />}
          </div>
        </>
      )}
    </div>
  );
}
