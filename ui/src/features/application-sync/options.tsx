import { Field } from "@/kit/field";
import { OPTIONS, type OptionText, SWITCHES, type SyncChoice } from "./model/options";

interface SyncOptionsProps {
  choice: SyncChoice;
  own: readonly string[];
  onChange: (changed: Partial<SyncChoice>) => void;
}

/** Every option with what it does, before it does it. */
export function SyncOptions({ choice, own, onChange }: SyncOptionsProps) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">Options</legend>
      <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {(["prune", "dryRun"] as const).map((name) => (
          <Option key={name} text={SWITCHES[name]} checked={choice[name]} onToggle={(on) => onChange({ [name]: on })} />
        ))}
      </div>
      <details>
        <summary className="min-h-6 text-sm text-soft">More options</summary>
        <div className="grid gap-x-6 gap-y-2 pt-2 sm:grid-cols-2">
          {(["skipHooks", "force"] as const).map((name) => (
            <Option
              key={name}
              text={SWITCHES[name]}
              checked={choice[name]}
              onToggle={(on) => onChange({ [name]: on })}
            />
          ))}
          {Object.entries(OPTIONS).map(([option, text]) => (
            <Option
              key={option}
              text={
                own.includes(option) ? { ...text, effect: `${text.effect} The application always asks for it.` } : text
              }
              checked={own.includes(option) || choice.options.includes(option)}
              disabled={own.includes(option)}
              onToggle={(on) =>
                onChange({
                  options: on ? [...choice.options, option] : choice.options.filter((each) => each !== option),
                })
              }
            />
          ))}
        </div>
        <div className="pt-3">
          <Field
            label="Another revision than the application's"
            placeholder="Branch, tag or commit"
            value={choice.revision}
            onChange={(event) => onChange({ revision: event.currentTarget.value.trim() })}
          />
        </div>
      </details>
      <Field
        label="Note, kept with the operation"
        placeholder="Why now"
        value={choice.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
    </fieldset>
  );
}

interface OptionProps {
  text: OptionText;
  checked: boolean;
  disabled?: boolean;
  onToggle: (on: boolean) => void;
}

function Option({ text, checked, disabled = false, onToggle }: OptionProps) {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input
        type="checkbox"
        className="mt-1 size-4 shrink-0 accent-(--accent)"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
      <span>
        <span className={text.risky ? "font-medium text-degraded" : "font-medium"}>{text.title}</span>
        <span className="block text-soft">{text.effect}</span>
      </span>
    </label>
  );
}
