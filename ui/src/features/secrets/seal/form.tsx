import { Eye, EyeOff, LockKeyhole, Plus, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button, IconButton } from "@/kit/button";
import { Field, INPUT } from "@/kit/field";
import { faultsOf, type Item, type Wish } from "../model/manifest";
import { sealRoute } from "../routes";
import { ScopeChoice } from "./scope";

interface FormProps {
  /** Whether it was sealed. */
  onSeal: (wish: Wish) => Promise<boolean>;
}

interface Entry extends Item {
  id: number;
}

/** Where a value goes and what it is. Values are in this component and nowhere else, and gone once they are sealed. */
export function SealForm({ onSeal }: FormProps) {
  const { namespace = "", name = "", scope = "strict", key = "" } = sealRoute.useSearch();
  const [place, setPlace] = useState({ namespace, name, scope, type: "" });
  const [entries, setEntries] = useState<Entry[]>([{ id: 0, key, value: "" }]);
  const [shown, setShown] = useState(false);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const made = useRef(1);

  const wish: Wish = { ...place, items: entries.map((entry) => ({ key: entry.key, value: entry.value })) };
  const faults = tried ? faultsOf(wish) : {};
  const change = (id: number, changed: Partial<Item>) =>
    setEntries((before) => before.map((entry) => (entry.id === id ? { ...entry, ...changed } : entry)));
  const submit = async () => {
    setTried(true);
    if (Object.keys(faultsOf(wish)).length > 0) return;
    setBusy(true);
    const done = await onSeal(wish);
    setBusy(false);
    if (!done) return;
    setTried(false);
    setShown(false);
    setEntries((before) => before.map((entry) => ({ ...entry, value: "" })));
  };
  return (
    <form
      aria-label="What to seal"
      autoComplete="off"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Namespace"
          value={place.namespace}
          error={faults.namespace}
          onChange={(event) => setPlace({ ...place, namespace: event.currentTarget.value.trim() })}
        />
        <Field
          label="Name"
          value={place.name}
          error={faults.name}
          onChange={(event) => setPlace({ ...place, name: event.currentTarget.value.trim() })}
        />
      </div>
      <ScopeChoice scope={place.scope} onChoose={(chosen) => setPlace({ ...place, scope: chosen })} />
      <Field
        label="Type (Opaque if left empty)"
        value={place.type}
        error={faults.type}
        onChange={(event) => setPlace({ ...place, type: event.currentTarget.value.trim() })}
      />
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 flex w-full items-center justify-between text-sm font-semibold">
          Values
          <Button look="quiet" icon={shown ? EyeOff : Eye} onClick={() => setShown(!shown)}>
            {shown ? "Hide values" : "Show values"}
          </Button>
        </legend>
        {entries.map((entry, index) => (
          <EntryFields
            key={entry.id}
            entry={entry}
            number={index + 1}
            shown={shown}
            keyFault={faults[`key-${index}`]}
            valueFault={faults[`value-${index}`]}
            onChange={(changed) => change(entry.id, changed)}
            onRemove={
              entries.length > 1
                ? () => setEntries((before) => before.filter((each) => each.id !== entry.id))
                : undefined
            }
          />
        ))}
        {faults.size && (
          <p role="alert" className="text-sm text-degraded">
            {faults.size}
          </p>
        )}
        <span>
          <Button
            icon={Plus}
            onClick={() => {
              const id = made.current++;
              setEntries((before) => [...before, { id, key: "", value: "" }]);
            }}
          >
            Another key
          </Button>
        </span>
      </fieldset>
      <span>
        <Button type="submit" look="primary" icon={LockKeyhole} disabled={busy}>
          Seal
        </Button>
      </span>
    </form>
  );
}

interface EntryProps {
  entry: Entry;
  number: number;
  shown: boolean;
  keyFault: string | undefined;
  valueFault: string | undefined;
  onChange: (changed: Partial<Item>) => void;
  onRemove: (() => void) | undefined;
}

function EntryFields({ entry, number, shown, keyFault, valueFault, onChange, onRemove }: EntryProps) {
  const id = `value-${entry.id}`;
  return (
    <div className="flex items-start gap-2">
      <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[1fr_2fr]">
        <Field
          label={`Key ${number}`}
          value={entry.key}
          error={keyFault}
          spellCheck={false}
          onChange={(event) => onChange({ key: event.currentTarget.value })}
        />
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="text-sm font-medium">
            Value {number}
          </label>
          {/* Some browsers send what they check the spelling of to others. */}
          <textarea
            id={id}
            rows={2}
            value={entry.value}
            autoComplete="off"
            autoCorrect="off"
            autoCapitalize="off"
            spellCheck={false}
            data-1p-ignore
            data-lpignore="true"
            aria-invalid={Boolean(valueFault)}
            {...(valueFault ? { "aria-describedby": `${id}-error` } : {})}
            onChange={(event) => onChange({ value: event.currentTarget.value })}
            className={`${INPUT} h-auto min-h-9 py-1.5 font-mono text-sm ${shown ? "" : "[-webkit-text-security:disc]"}`}
          />
          {valueFault && (
            <p id={`${id}-error`} role="alert" className="text-sm text-degraded">
              {valueFault}
            </p>
          )}
        </div>
      </div>
      {onRemove && <IconButton icon={X} label={`Remove key ${number}`} className="mt-6" onClick={onRemove} />}
    </div>
  );
}
