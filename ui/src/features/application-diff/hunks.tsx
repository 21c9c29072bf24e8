import { EyeOff } from "lucide-react";
import { useMemo, useState } from "react";
import { ignoreRule, ignoreText } from "@/diff/ignore";
import { objectTitle } from "@/diff/names";
import { type DiffRow, type LineRow, rowsOf } from "@/diff/rows";
import type { DiffItem } from "@/diff/wire";
import { classes } from "@/kit/classes";
import { copyText } from "@/kit/clipboard";
import { Command } from "@/kit/command-line";

const LOOKS = { " ": "", "-": "bg-(--removed)", "+": "bg-(--added)" } as const;
const WORDS = { " ": "same", "-": "goes", "+": "comes" } as const;
const HIDDEN = { equal: "equal, not shown", changed: "changed, not shown" } as const;
const NUMBER = "w-10 px-1 text-right text-soft select-none";

/** Hunks as the server made them: a real table, each changed line with who holds its field. */
export function HunkTable({ item, application }: { item: DiffItem; application: string }) {
  const { rows, cut } = useMemo(() => rowsOf(item), [item]);
  const whole = item.state === "Missing" || item.state === "Extra";
  const copy = (row: LineRow) => {
    const rule = ignoreRule(item, row.path, row.text);
    if (rule) void copyText(ignoreText(rule), "Rule for spec.ignoreDifferences");
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={`Lines of ${objectTitle(item)}`} className="overflow-x-auto border-t border-line">
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <caption className="sr-only">How {objectTitle(item)} differs</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Live</th>
            <th scope="col">Predicted</th>
            <th scope="col">Change</th>
            <th scope="col">Line</th>
            <th scope="col">Held by</th>
            <th scope="col">Ignore</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.key} row={row} onIgnore={whole ? undefined : copy} />
          ))}
        </tbody>
      </table>
      {cut && (
        <p className="flex flex-wrap items-center gap-2 px-3 py-2 text-sm text-soft">
          The rest is not shown here. <Command line={`plumb app diff ${application}`} />
        </p>
      )}
    </section>
  );
}

interface RowProps {
  row: DiffRow;
  /** None where there is nothing that a rule could leave alone. */
  onIgnore: ((row: LineRow) => void) | undefined;
}

function Row({ row, onIgnore }: RowProps) {
  const [open, setOpen] = useState(false);
  if (row.kind === "gap") return <Note>{row.count} lines that do not differ</Note>;
  if (row.kind === "line") return <Line row={row} onIgnore={onIgnore} />;
  return (
    <>
      <Note>
        <button type="button" aria-expanded={open} className="min-h-6 underline" onClick={() => setOpen(!open)}>
          {row.lines.length} {row.lines.length === 1 ? "default" : "defaults"} that the server filled in
        </button>
      </Note>
      {open && row.lines.map((line) => <Line key={line.key} row={line} onIgnore={onIgnore} />)}
    </>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <tr className="bg-canvas text-soft">
      <td colSpan={6} className="px-3 py-0.5 font-sans">
        {children}
      </td>
    </tr>
  );
}

function Line({ row, onIgnore }: { row: LineRow; onIgnore: RowProps["onIgnore"] }) {
  const changed = row.op !== " ";
  return (
    <tr className={classes(LOOKS[row.op], "group")} title={row.path}>
      <td className={NUMBER}>{row.before}</td>
      <td className={NUMBER}>{row.after}</td>
      <td className="w-6 px-1 text-center">
        <span aria-hidden>{row.op}</span>
        <span className="sr-only">{WORDS[row.op]}</span>
      </td>
      <td className="px-1 whitespace-pre">
        {row.text}
        {row.hidden && <em className="ml-2 font-sans text-soft">{HIDDEN[row.hidden]}</em>}
      </td>
      <td className="px-3 font-sans whitespace-nowrap text-soft">
        {changed && row.managers.length > 0 && `held by ${row.managers.join(", ")}`}
      </td>
      <td className="w-8">
        {changed && row.path && onIgnore && (
          <button
            type="button"
            aria-label={`Copy as ignoreDifferences: ${row.path}`}
            title={`Copy as ignoreDifferences: ${row.path}`}
            className="inline-flex size-6 items-center justify-center rounded text-soft hover:text-ink"
            onClick={() => onIgnore(row)}
          >
            <EyeOff aria-hidden size={15} />
          </button>
        )}
      </td>
    </tr>
  );
}
