import { openSheet } from "@/app/palette/open";
import { type Density, prefer, type Theme, usePreferences } from "@/app/preferences";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { Part, Title } from "./parts/title";

const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const satisfies readonly (readonly [Theme, string])[];

const DENSITIES = [
  ["comfortable", "Comfortable"],
  ["compact", "Compact: more rows on a screen"],
] as const satisfies readonly (readonly [Density, string])[];

export default function AppearancePage() {
  const { theme, contrast, density, singleKeys, keys } = usePreferences();
  const own = Object.keys(keys).length;
  return (
    <>
      <Title title="Appearance" about="Kept in this browser, and nowhere else: no file in Git sets it." />
      <Part title="Theme">
        <Choice name="theme" value={theme} options={THEMES} onChoose={(chosen) => prefer({ theme: chosen })} />
        <Checkbox label="High contrast" checked={contrast} onToggle={(checked) => prefer({ contrast: checked })} />
      </Part>
      <Part title="Rows">
        <Choice name="density" value={density} options={DENSITIES} onChoose={(chosen) => prefer({ density: chosen })} />
      </Part>
      <Part title="Keys">
        <Checkbox
          label="Keys without a modifier are on"
          checked={singleKeys}
          onToggle={(checked) => prefer({ singleKeys: checked })}
        />
        <p className="my-1 text-sm text-soft">
          {own === 0 ? "All keys are as they came." : `You have changed ${own === 1 ? "one key" : `${own} keys`}.`}
        </p>
        <div className="flex gap-2">
          <Button onClick={() => openSheet.set("keys")}>See and change the keys</Button>
          <Button disabled={own === 0} onClick={() => prefer({ keys: {} })}>
            Restore all keys
          </Button>
        </div>
      </Part>
    </>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <div role="radiogroup" aria-label={name} className="mb-2 flex flex-col">
      {options.map(([each, label]) => (
        <label key={each} className="inline-flex min-h-7 items-center gap-2 text-sm">
          <input
            type="radio"
            name={name}
            className="size-4 accent-(--accent)"
            checked={value === each}
            onChange={() => onChoose(each)}
          />
          {label}
        </label>
      ))}
    </div>
  );
}
