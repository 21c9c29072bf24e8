import { Checkbox } from "@/kit/checkbox";
import { Field } from "@/kit/field";
import type { Friction } from "./model/friction";

interface Agreed {
  ticked: boolean;
  typed: string;
}

interface AgreementProps {
  friction: Friction;
  name: string;
  agreed: Agreed;
  onAgree: (agreed: Agreed) => void;
}

/** As much to do as can be lost. */
export function Agreement({ friction, name, agreed, onAgree }: AgreementProps) {
  if (friction.step === "none") return null;
  return (
    <section aria-label="Agreement" className="flex flex-col gap-2 rounded-lg border border-degraded p-3">
      {friction.step === "tick" ? (
        <Checkbox
          label={friction.sentence}
          checked={agreed.ticked}
          onToggle={(ticked) => onAgree({ ...agreed, ticked })}
        />
      ) : (
        <>
          <p className="text-sm text-degraded">{friction.sentence} The list is above.</p>
          <Field
            label={`Type ${name} to go on`}
            autoComplete="off"
            value={agreed.typed}
            onChange={(event) => onAgree({ ...agreed, typed: event.currentTarget.value })}
          />
        </>
      )}
    </section>
  );
}
