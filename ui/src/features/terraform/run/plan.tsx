import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { plural } from "@/features/infra/model/listing";
import type { ActionGroup, Danger, Plan } from "../model/wire";
import { actionWord } from "../model/words";
import { ChangeItem, OutputChanges } from "./change";

/** What a plan would do: what is not done unasked first, then by action and module. */
export function PlanContents({ plan }: { plan: Plan }) {
  const changes = plan.changes ?? [];
  return (
    <div className="flex flex-col gap-4">
      <Dangers dangers={plan.dangers ?? []} more={plan.moreDangers ?? 0} />
      {plan.failed && <Note>The tool gave up while it planned: this is not all.</Note>}
      {plan.complete === false && <Note>Some of it is decided only after this plan is applied.</Note>}
      {changes.map((group) => (
        <Group key={group.action} group={group} />
      ))}
      {(plan.moreChanges ?? 0) > 0 && (
        <Note>{plural(plan.moreChanges ?? 0, "more change")} left out: the command below shows all.</Note>
      )}
      {(plan.outputs?.length ?? 0) > 0 && (
        <Part title="Outputs that change">
          <OutputChanges outputs={plan.outputs ?? []} />
        </Part>
      )}
      {(plan.driftedOutside?.length ?? 0) > 0 && (
        <Part title="Changed outside of Terraform">
          <div className="rounded-lg border border-line">
            {plan.driftedOutside?.map((change) => (
              <ChangeItem key={change.address} change={change} />
            ))}
          </div>
        </Part>
      )}
      {plan.checks?.some((check) => check.status !== "pass") && (
        <Part title="Checks">
          {plan.checks.map((check) => (
            <p key={check.address} className="text-sm">
              <code className="font-mono">{check.address}</code>: {check.status} {check.messages.join("; ")}
            </p>
          ))}
        </Part>
      )}
      {(plan.deferred?.length ?? 0) > 0 && (
        <Part title="Put off">
          {plan.deferred?.map((each) => (
            <p key={each.address} className="text-sm">
              {actionWord(each.action)} <code className="font-mono">{each.address}</code>: {each.reason}
            </p>
          ))}
        </Part>
      )}
      {plan.text && (
        <details>
          <summary className="min-h-6 cursor-pointer text-sm text-soft">As the tool prints it</summary>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
            tabIndex={0}
            className="mt-2 max-h-[60vh] overflow-auto rounded-lg border border-line bg-canvas p-3 font-mono text-xs"
          >
            {plan.text}
          </pre>
        </details>
      )}
    </div>
  );
}

function Dangers({ dangers, more }: { dangers: readonly Danger[]; more: number }) {
  if (dangers.length === 0) return null;
  return (
    <section aria-label="Dangers" className="rounded-lg border-2 border-degraded p-3">
      <h2 className="mb-1 flex items-center gap-2 text-base font-semibold text-degraded">
        <TriangleAlert aria-hidden size={18} />
        {plural(dangers.length + more, "thing")} that {dangers.length + more === 1 ? "is" : "are"} not done unasked
      </h2>
      <ul className="list-disc pl-7 text-sm">
        {dangers.map((danger) => (
          <li key={`${danger.address} ${danger.sentence}`}>
            {danger.sentence} <span className="text-soft">({danger.severity} risk)</span>
          </li>
        ))}
        {more > 0 && <li>{plural(more, "more")}</li>}
      </ul>
    </section>
  );
}

function Group({ group }: { group: ActionGroup }) {
  return (
    <Part title={`${actionWord(group.action)} ${plural(group.count, "resource")}`}>
      {group.modules.map(({ module, changes }) => (
        <div key={module} className="mb-2">
          <h3 className="mb-1 text-sm text-soft">{module || "root module"}</h3>
          <div className="rounded-lg border border-line">
            {changes.map((change) => (
              <ChangeItem key={`${change.address} ${change.deposed ?? ""}`} change={change} />
            ))}
          </div>
        </div>
      ))}
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-1.5 text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <p role="status" className="text-sm text-outofsync">
    {children}
  </p>
);
