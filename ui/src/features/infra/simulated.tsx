import { FlaskConical } from "lucide-react";

/** That something is not real. What is not real about it is told where there is room for a sentence. */
export function Simulated({ said }: { said: string | undefined }) {
  if (!said) return null;
  return (
    <span
      title={said}
      className="inline-flex items-center gap-1 rounded-full border border-line px-1.5 text-xs whitespace-nowrap text-soft"
    >
      <FlaskConical aria-hidden size={12} />
      simulated
    </span>
  );
}
