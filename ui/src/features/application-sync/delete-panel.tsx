import { useState } from "react";
import { toast } from "sonner";
import { useGo } from "@/app/go";
import { useApplication } from "@/features/application/api";
import { Button } from "@/kit/button";
import { Command } from "@/kit/command-line";
import { Field } from "@/kit/field";
import { Failed } from "@/kit/state";
import { useDeleting } from "./api";
import { deletionCommand, WAY_TEXTS, WAYS, type Way } from "./model/deletion";
import { namedBy } from "./model/named";

const LISTED = 12;

/** What becomes of everything, and the name to type before it does. */
export default function DeletePanel({ id }: { id: string }) {
  const named = namedBy(id);
  const go = useGo();
  const { data } = useApplication(named.namespace, named.name);
  const deleting = useDeleting(named);
  const [way, setWay] = useState<Way>("foreground");
  const [typed, setTyped] = useState("");
  const resources = data?.status?.resources ?? [];
  const rest = resources.length - LISTED;
  const begin = () =>
    deleting.mutate(way, {
      onSuccess: () => {
        toast.success(`${named.name} is being deleted`);
        go.to("/applications");
      },
    });
  return (
    <div className="flex flex-col gap-4">
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 text-sm font-medium">What becomes of its {resources.length} objects</legend>
        {WAYS.map((each) => (
          <label key={each} className="flex items-start gap-2 text-sm">
            <input
              type="radio"
              name="way"
              className="mt-1 size-4 accent-(--accent)"
              checked={way === each}
              onChange={() => setWay(each)}
            />
            <span>
              <span className="font-medium">{WAY_TEXTS[each].title}</span>
              <span className="block text-soft">{WAY_TEXTS[each].effect}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {way !== "orphan" && resources.length > 0 && (
        <section aria-label="What would be deleted" className="rounded-lg border border-degraded p-3 text-sm">
          <ul>
            {resources.slice(0, LISTED).map((each) => (
              <li key={[each.group, each.kind, each.namespace, each.name].join("/")}>
                {each.kind} {each.namespace && `${each.namespace}/`}
                {each.name}
              </li>
            ))}
          </ul>
          {rest > 0 && <p className="text-soft">and {rest} more</p>}
        </section>
      )}
      <Command line={deletionCommand(named.name, way)} />
      <Field
        label={`Type ${named.name} to delete it`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {deleting.error && <Failed error={deleting.error} what="The deletion" />}
      <div>
        <Button look="danger" disabled={typed.trim() !== named.name || deleting.isPending} onClick={begin}>
          Delete {named.name}
        </Button>
      </div>
    </div>
  );
}
