import { Copy } from "lucide-react";
import { IconButton } from "./button";
import { copyText } from "./clipboard";

/** A command to type, with a button that copies it. */
export function Command({ line }: { line: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-2.5 text-left">
      <code className="overflow-x-auto font-mono text-sm whitespace-pre">{line}</code>
      <IconButton
        icon={Copy}
        label={`Copy the command ${line}`}
        className="size-7"
        onClick={() => void copyText(line, "Command")}
      />
    </span>
  );
}
