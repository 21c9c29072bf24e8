import type { Scope } from "../model/wire";
import { SCOPES } from "../model/words";

interface ScopeProps {
  scope: Scope;
  onChoose: (scope: Scope) => void;
}

/** What the values may become, each choice with what it means. */
export function ScopeChoice({ scope, onChoose }: ScopeProps) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-semibold">The values may become</legend>
      {SCOPES.map((each) => (
        <label key={each.scope} className="flex min-h-6 items-start gap-2 text-sm">
          <input
            type="radio"
            name="scope"
            value={each.scope}
            checked={scope === each.scope}
            onChange={() => onChoose(each.scope)}
            className="mt-1 size-4 shrink-0 accent-(--accent)"
          />
          <span>
            {each.title} <span className="block text-soft">{each.means}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
