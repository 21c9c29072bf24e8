import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "sonner";
import { sessionQuery } from "@/api/session";
import { useApplication } from "@/features/application/api";
import { Button } from "@/kit/button";
import { Command } from "@/kit/command-line";
import { Field } from "@/kit/field";
import { Failed, Loading } from "@/kit/state";
import { usePatching } from "./api";
import { automatedOf, automatic, autoSyncPatch, noteOf, type OneApplication } from "./model/application";
import { namedBy } from "./model/named";

/** Turns automated syncs on or off; whoever turns them off says why, where the next one sees it. */
export default function AutoSyncPanel({ id }: { id: string }) {
  const named = namedBy(id);
  const found = useApplication(named.namespace, named.name);
  const { data: session } = useQuery(sessionQuery);
  const patching = usePatching(named);
  const [reason, setReason] = useState("");
  if (found.error) return <Failed error={found.error} what={named.name} />;
  if (!found.data) return <Loading sentence={`${named.name} is on its way.`} />;
  const application = found.data as OneApplication;
  const on = automatic(application);
  const automated = automatedOf(application);
  const note = noteOf(application);
  const turn = () =>
    patching.mutate(
      autoSyncPatch(!on, {
        reason: reason.trim(),
        by: session?.username ?? "",
        at: new Date().toISOString(),
      }),
      {
        onSuccess: () => {
          toast.success(`Automated syncs of ${named.name} are ${on ? "off" : "on"}`);
          setReason("");
        },
      },
    );
  return (
    <div className="flex flex-col gap-4">
      <p role="status">
        Automated syncs are {on ? "on" : "off"}.{" "}
        {on
          ? `What is pushed to Git is delivered by itself${automated?.prune ? ", pruning what is gone" : ""}${automated?.selfHeal ? ", and changes made elsewhere are undone" : ""}.`
          : "What is pushed to Git waits until somebody syncs."}
      </p>
      {note && (
        <p className="text-sm text-soft">
          {note.by} noted on {new Date(note.at).toLocaleString()}: {note.reason}
        </p>
      )}
      <p className="text-sm text-soft">
        {on
          ? "Off, drift is still seen but not healed, and nothing new is delivered. A rollback does not need this: it holds by itself."
          : "On, everything that waits in Git now is delivered at once."}
      </p>
      <Field
        label="Reason, for those who come after you"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Command line={`plumb app set ${named.name} --sync-policy ${on ? "manual" : "automated"}`} />
      {patching.error && <Failed error={patching.error} what="The change" />}
      <div>
        <Button look="primary" disabled={!reason.trim() || patching.isPending} onClick={turn}>
          Turn automated syncs {on ? "off" : "on"}
        </Button>
      </div>
    </div>
  );
}
