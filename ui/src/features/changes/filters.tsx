import { type FormEvent, useId } from "react";
import { Button } from "@/kit/button";
import { INPUT } from "@/kit/field";
import { KINDS } from "./model/entry";
import { type ChangesSearch, changesSearchOf } from "./model/search";

interface FiltersProps {
  search: ChangesSearch;
  onSearch: (search: ChangesSearch) => void;
}

const TEXTS = [
  ["actor", "Actor", "ada or controller:…"],
  ["verb", "Verb", "sync, delete"],
  ["object", "Object", "apps/Deployment/shop/web"],
  ["project", "Project", "production"],
  ["since", "Since", "24h, 7d or a time"],
  ["until", "Until", "a time"],
] as const;

/** What is looked for. It takes effect with Enter; what has no field of its own, such as a commit, is kept. */
export function Filters({ search, onSearch }: FiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSearch(changesSearchOf({ ...search, ...Object.fromEntries(new FormData(event.currentTarget)) }));
  };
  const others = (["commit", "change", "namespace"] as const).filter((name) => search[name]);
  return (
    <div className="border-line border-b px-4 py-2">
      <form aria-label="Filters" onSubmit={submit} className="flex flex-wrap items-end gap-2">
        {TEXTS.map(([name, label, hint]) => (
          <Text key={name} name={name} label={label} hint={hint} value={search[name] ?? ""} />
        ))}
        <KindChoice value={search.kind ?? ""} onChoose={(kind) => onSearch(changesSearchOf({ ...search, kind }))} />
        <Button type="submit" look="primary">
          Filter
        </Button>
        <Button look="quiet" onClick={() => onSearch({})}>
          Clear
        </Button>
      </form>
      {others.length > 0 && (
        <p className="mt-1 text-sm text-soft">
          Also only: {others.map((name) => `${name} ${search[name]}`).join(", ")}
        </p>
      )}
    </div>
  );
}

function Text({ name, label, hint, value }: { name: string; label: string; hint: string; value: string }) {
  const id = useId();
  return (
    <div className="flex min-w-32 flex-1 flex-col">
      <label htmlFor={id} className="text-soft text-xs">
        {label}
      </label>
      <input
        id={id}
        name={name}
        defaultValue={value}
        placeholder={hint}
        spellCheck={false}
        className={`${INPUT} h-8 px-2 text-sm`}
      />
    </div>
  );
}

function KindChoice({ value, onChoose }: { value: string; onChoose: (kind: string) => void }) {
  const id = useId();
  return (
    <div className="flex flex-col">
      <label htmlFor={id} className="text-soft text-xs">
        What
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
        className={`${INPUT} h-8 px-2 text-sm`}
      >
        <option value="">everything</option>
        {Object.entries(KINDS).map(([kind, meaning]) => (
          <option key={kind} value={kind}>
            {kind}: {meaning}
          </option>
        ))}
      </select>
    </div>
  );
}
