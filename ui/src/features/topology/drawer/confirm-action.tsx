import { type FormEvent, useId, useState } from "react";
import { Button } from "@/kit/button";
import { Dialog } from "@/kit/dialog";
import { Field } from "@/kit/field";
import type { Wish } from "./actions-menu";

const LISTED = 12;

interface ConfirmActionProps {
  wish: Wish;
  name: string;
  onClose: () => void;
  onConfirm: (parameters: Record<string, string>) => void;
}

/** Says what will happen and what goes along; for what cannot be made again, the name has to be typed. */
export function ConfirmAction({ wish, name, onClose, onConfirm }: ConfirmActionProps) {
  const { effect, friction, losses } = wish.weighed;
  const [typed, setTyped] = useState("");
  const [parameters, setParameters] = useState<Record<string, string>>({});
  const form = useId();
  const filled = wish.parameters.every((each) => parameters[each]?.trim());
  const ready = filled && (friction !== "type" || typed === name);
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onConfirm(parameters);
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={form} look={friction === "type" ? "danger" : "primary"} disabled={!ready}>
        {wish.title} {name}
      </Button>
    </>
  );
  return (
    <Dialog title={`${wish.title} ${name}?`} description={effect} onClose={onClose} footer={footer}>
      <form id={form} onSubmit={submitted} className="flex flex-col gap-3 text-sm">
        {losses.length > 0 && (
          <ul aria-label="What goes along" className="rounded-md border border-line p-2">
            {losses.slice(0, LISTED).map((each) => (
              <li key={each.key}>
                {each.kind} {each.name}
              </li>
            ))}
            {losses.length > LISTED && <li className="text-soft">and {losses.length - LISTED} more</li>}
          </ul>
        )}
        {wish.parameters.map((each) => (
          <Field
            key={each}
            label={each}
            value={parameters[each] ?? ""}
            onChange={(event) => setParameters({ ...parameters, [each]: event.currentTarget.value })}
          />
        ))}
        {friction === "type" && (
          <Field
            label={`Type ${name} to go on`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </form>
    </Dialog>
  );
}
