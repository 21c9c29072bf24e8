import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "sonner";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Listening } from "@/features/infra/api";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Failed, Loading } from "@/kit/state";
import { planAgain, planQuery, TERRAFORMS, terraformQuery } from "../api";
import type { TerraformPage } from "../model/wire";
import { sentenceOf, showCommand } from "../model/words";
import { terraformRoute } from "../routes";
import { TerraformMark } from "../state";
import { Facts, Timeline } from "./facts";
import { Waiting } from "./waiting";

const ABOUT = [TERRAFORMS];

export default function RunPage() {
  const { namespace, name } = terraformRoute.useParams();
  const answer = useQuery(terraformQuery(namespace, name));
  const plan = useQuery(planQuery(namespace, name));
  const go = useGo();
  useKeys([
    { id: "terraform-back", keys: "Escape", title: "Back to the list", group: "Plan", run: () => go.to("/terraform") },
  ]);
  const { data } = answer;
  return (
    <div className="flex h-full flex-col">
      <Listening topic={TERRAFORMS} about={ABOUT} />
      <header className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-2.5">
        <h1 className="text-lg font-semibold">{name}</h1>
        {data && <TerraformMark state={data.state} />}
        <span className="flex-1 truncate text-sm text-soft">
          {namespace} {data?.source && `· ${data.source}`}
        </span>
        {plan.dataUpdatedAt > 0 && (
          <span className="text-xs text-soft">
            Updated <Ago at={new Date(plan.dataUpdatedAt).toISOString()} />
          </span>
        )}
        {data && <PlanAgain of={data} />}
        <CopyMenu command={showCommand({ namespace, name })} />
      </header>
      {answer.isPending && <Loading sentence={`${name} is on its way.`} />}
      {answer.error && !data && <Failed error={answer.error} what={name} onRetry={() => void answer.refetch()} />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section tabIndex={0} aria-label={name} className="min-h-0 flex-1 overflow-auto p-4">
          <p className={`mb-4 text-base break-words ${data.state === "failed" ? "text-degraded" : ""}`}>
            {sentenceOf(data)}
          </p>
          <div className="grid gap-6 lg:grid-cols-[3fr_2fr]">
            <div className="min-w-0">
              {plan.isPending && <Loading sentence="The plan is on its way." />}
              {plan.error && !plan.data && (
                <Failed error={plan.error} what="The plan" onRetry={() => void plan.refetch()} />
              )}
              {plan.data && <Waiting key={`${namespace}/${name}`} plan={plan.data} />}
            </div>
            <div className="flex min-w-0 flex-col gap-6">
              <Facts of={data} />
              <Timeline of={data} />
            </div>
          </div>
        </section>
      )}
    </div>
  );
}

function PlanAgain({ of }: { of: TerraformPage }) {
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState(false);
  const asking = useMutation({
    mutationFn: () => planAgain(of.namespace, of.name),
    onSuccess: () => {
      setAsked(true);
      toast.success("Asked for a new look");
    },
    onError: (refusal) => toast.error(refusal.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ABOUT }),
  });
  if (!of.may.reconcile) return null;
  return (
    <Button disabled={asking.isPending} onClick={() => asking.mutate()}>
      {asked ? "Look once more" : "Look again"}
    </Button>
  );
}
