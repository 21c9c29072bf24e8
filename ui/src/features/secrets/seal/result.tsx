import { Copy, Download } from "lucide-react";
import { useEffect, useRef } from "react";
import { plural } from "@/features/infra/model/listing";
import { Button } from "@/kit/button";
import { copyText } from "@/kit/clipboard";
import { Command } from "@/kit/command-line";
import type { Result } from "../model/manifest";

/** What came out, to take along. Whoever has it cannot open it. */
export function SealedResult({ result }: { result: Result }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each result is news
  useEffect(() => heading.current?.focus(), [result]);
  return (
    <section aria-label="What was sealed" className="flex min-w-0 flex-col gap-3">
      <h2 ref={heading} tabIndex={-1} className="text-base font-semibold">
        {plural(result.keys.length, "value")} sealed
      </h2>
      <p className="text-sm text-soft">The fields are empty again: nothing of it is left in this page in the clear.</p>
      <div className="flex flex-wrap gap-2">
        <Button icon={Copy} onClick={() => void copyText(result.yaml, "SealedSecret")}>
          Copy YAML
        </Button>
        <Button icon={Download} onClick={() => download(result)}>
          Download {result.file}
        </Button>
        <Button icon={Copy} look="quiet" onClick={() => void copyText(result.lines, "Lines")}>
          Copy the lines for encryptedData
        </Button>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg border border-line bg-canvas p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {result.yaml}
      </pre>
      <p className="text-sm">
        Put it into the folder that your application is delivered from; where a SealedSecret of that name is there
        already, put only the lines into its <code className="font-mono">encryptedData</code>. Then:
      </p>
      <div className="flex flex-col items-start gap-1.5">
        {result.commands.map((line) => (
          <Command key={line} line={line} />
        ))}
      </div>
    </section>
  );
}

function download({ file, yaml }: Result): void {
  const address = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = file;
  link.click();
  URL.revokeObjectURL(address);
}
