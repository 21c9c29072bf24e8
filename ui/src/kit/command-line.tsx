import { Copy } from "lucide-react";
import { IconButton } from "./button";
import { copyText } from "./clipboard";
import { useScrolls } from "./use-scrolls";

/** A command to type, with a button that copies it. */
export function Command({ line }: { line: string }) {
  const [ref, scrolls] = useScrolls<HTMLElement>();
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-2.5 text-left text-ink">
      <code
        ref={ref}
        className="overflow-x-auto font-mono text-sm whitespace-pre"
        {...(scrolls ? { tabIndex: 0, role: "group", "aria-label": `Command ${line}` } : {})}
      >
        {line}
      </code>
      <IconButton
        icon={Copy}
        label={`Copy the command ${line}`}
        className="size-7"
        onClick={() => void copyText(line, "Command")}
      />
    </span>
  );
}
