import { Filter, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { IconButton } from "./button";
import { INPUT } from "./field";

const REST_MS = 60;

export interface FilterInputProps {
  /** Names its key among all others. */
  id: string;
  /** Where the sheet of keys lists it. */
  group: string;
  label: string;
  placeholder: string;
  query: string;
  onQuery: (query: string) => void;
}

/** A query as text, reached by `f`. It takes effect once nobody has typed for a moment, or with Enter. */
export function FilterInput({ id, group, label, placeholder, query, onQuery }: FilterInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query);
  const [known, setKnown] = useState(query);
  if (known !== query) {
    setKnown(query);
    if (text.trim() !== query) setText(query);
  }
  useEffect(() => {
    if (text.trim() === query) return;
    const timer = setTimeout(() => onQuery(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text, query, onQuery]);
  useKeys([{ id, keys: "f", title: "Filter", group, run: () => input.current?.focus() }]);
  return (
    <form
      className="relative min-w-60 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        onQuery(text.trim());
      }}
    >
      <Filter aria-hidden size={15} className="absolute top-2.5 left-2.5 text-soft" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className={`${INPUT} h-8 pr-9 pl-8 font-mono text-sm`}
      />
      {text && (
        <IconButton
          icon={X}
          label="Clear the filter"
          className="absolute top-0.5 right-0.5 size-7"
          onClick={() => {
            setText("");
            onQuery("");
          }}
        />
      )}
    </form>
  );
}
