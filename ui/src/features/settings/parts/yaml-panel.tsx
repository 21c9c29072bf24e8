import { Copy } from "lucide-react";
import { Button } from "@/kit/button";
import { copyText } from "@/kit/clipboard";

const SCROLLS = "mt-2 max-h-96 overflow-auto rounded bg-canvas p-2";

/** The file in Git that sets what is shown, to read and to take along. */
export function YamlPanel({ yaml, what }: { yaml: string; what: string }) {
  return (
    <details className="my-4 rounded-md border border-line bg-surface">
      <summary className="min-h-8 cursor-pointer px-3 py-1.5 text-sm">The YAML that sets {what}</summary>
      <div className="border-line border-t p-3">
        <Button icon={Copy} onClick={() => void copyText(yaml, "YAML")}>
          Copy as YAML
        </Button>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <section aria-label={`YAML of ${what}`} tabIndex={0} className={SCROLLS}>
          <pre className="font-mono text-xs">{yaml}</pre>
        </section>
      </div>
    </details>
  );
}
