import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "sonner";
import { useGo } from "@/app/go";
import { useApplication } from "@/features/application/api";
import { planQuery } from "@/features/application-sync/api";
import { automatic, type OneApplication } from "@/features/application-sync/model/application";
import { frictionOf, overcome } from "@/features/application-sync/model/friction";
import { countsText } from "@/features/application-sync/model/plan";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { Command } from "@/kit/command-line";
import { Field, INPUT } from "@/kit/field";
import { Failed, Loading, NotThere } from "@/kit/state";
import { useRollingBack } from "./api";
import { revisionText } from "./model/history";
import { LASTING, revertCommands, rollbackCommand, rollbackSentences } from "./model/rollback";

/** Says what going back does, how long it holds, and how Git would do the same for ever. */
export default function RollbackPanel({ id }: { id: string }) {
  const [namespace = "", name = "", number = ""] = id.split("/");
  const go = useGo();
  const found = useApplication(namespace, name);
  const application = found.data as OneApplication | undefined;
  const past = application?.status?.history?.find((each) => String(each.id) === number);
  const item = past && {
    id: past.id ?? 0,
    revisions: past.revisions ?? [past.revision ?? ""],
    sources: past.sources ?? (past.source ? [past.source] : []),
  };
  const [lasting, setLasting] = useState("24h");
  const [prune, setPrune] = useState(false);
  const [agreed, setAgreed] = useState({ ticked: false, typed: "" });
  const rolling = useRollingBack(namespace, name);
  const single = item?.revisions.length === 1;
  const plan = useQuery({
    ...planQuery({ namespace, name }, { prune, revision: item?.revisions[0] ?? "", options: [] }, "rollback"),
    enabled: single,
  });
  if (found.error) return <Failed error={found.error} what={name} />;
  if (!application) return <Loading sentence={`${name} is on its way.`} />;
  if (!item)
    return <NotThere sentence={`${name} has no sync ${number} to go back to.`} command={`plumb app history ${name}`} />;
  const automated = automatic(application);
  const { revision = "", revisions = [revision] } = application.status?.sync ?? {};
  const friction = plan.data ? frictionOf(plan.data, { prune, force: false }) : ({ step: "none" } as const);
  const begin = () =>
    rolling.mutate(
      { id: item.id, prune, heldFor: lasting },
      {
        onSuccess: () => {
          toast.success(`${name} goes back to sync ${item.id}`);
          go.to(`/applications/${namespace}/${name}`, { tab: "history" });
        },
      },
    );
  return (
    <div className="flex flex-col gap-4">
      <section aria-label="What will happen">
        <ul className="list-disc pl-5">
          {rollbackSentences(automated, lasting).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
      {single && (
        <p role="status" className="font-medium">
          {plan.error
            ? `It could not be planned: ${plan.error.message}`
            : plan.data
              ? plan.data.refused || `${countsText(plan.data.counts) || "Nothing would change"} · ${revisionText(item)}`
              : "It is being planned."}
        </p>
      )}
      {automated && (
        <label className="flex flex-col gap-1 text-sm font-medium">
          Held there
          <select
            className={`${INPUT} max-w-80`}
            value={lasting}
            onChange={(event) => setLasting(event.currentTarget.value)}
          >
            {LASTING.map((each) => (
              <option key={each.value} value={each.value}>
                {each.label}
              </option>
            ))}
          </select>
        </label>
      )}
      <Checkbox label="Prune: delete what was not there then" checked={prune} onToggle={setPrune} />
      {friction.step === "tick" && (
        <Checkbox
          label={friction.sentence}
          checked={agreed.ticked}
          onToggle={(ticked) => setAgreed({ ...agreed, ticked })}
        />
      )}
      {friction.step === "type" && (
        <>
          <p className="text-sm text-degraded">{friction.sentence}</p>
          <Field
            label={`Type ${name} to go on`}
            autoComplete="off"
            value={agreed.typed}
            onChange={(event) => setAgreed({ ...agreed, typed: event.currentTarget.value })}
          />
        </>
      )}
      <Command line={rollbackCommand(name, item.id, prune, lasting, automated)} />
      {rolling.error && <Failed error={rolling.error} what="The rollback" />}
      <div>
        <Button look="primary" disabled={rolling.isPending || !overcome(friction, agreed, name)} onClick={begin}>
          Go back to sync {item.id}
        </Button>
      </div>
      <Revert commands={revertCommands(item, revisions)} />
    </div>
  );
}

function Revert({ commands }: { commands: readonly string[] }) {
  if (commands.length === 0) return null;
  return (
    <section aria-label="In Git instead" className="flex flex-col gap-2 border-t border-line pt-3">
      <h3 className="font-medium">Or for ever, in Git</h3>
      <p className="text-sm text-soft">
        A commit that puts things back is delivered like any other, with review and history. In a clone of the
        repository:
      </p>
      {commands.map((line) => (
        <Command key={line} line={line} />
      ))}
    </section>
  );
}
