import { Copy } from "lucide-react";
import { IconButton } from "@/kit/button";
import { copyText } from "@/kit/clipboard";

/** A command with a whole digest in it, which is longer than its place: it is broken rather than cut. */
export function LongCommand({ line }: { line: string }) {
  return (
    <span className="inline-flex max-w-full items-start gap-1 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-2.5 text-left">
      <code className="py-1 font-mono text-sm break-all whitespace-pre-wrap">{line}</code>
      <IconButton
        icon={Copy}
        label={`Copy the command ${line}`}
        className="size-7"
        onClick={() => void copyText(line, "Command")}
      />
    </span>
  );
}
