import { Filter, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { IconButton } from "@/kit/button";
import { INPUT } from "@/kit/field";

const REST_MS = 150;

interface FilterInputProps {
  query: string;
  onQuery: (query: string) => void;
}

/** The query as text. It takes effect once nobody has typed for a moment, or with Enter. */
export function FilterInput({ query, onQuery }: FilterInputProps) {
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
  useKeys([
    {
      id: "applications-filter",
      keys: "f",
      title: "Filter",
      group: "List of applications",
      run: () => input.current?.focus(),
    },
  ]);
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
        aria-label="Filter applications"
        placeholder="health:degraded project:shop name"
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
