import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ApplicationTabProps } from "@/app/feature";
import type { DiffHunk } from "@/diff/wire";
import { Failed, Loading } from "@/kit/state";
import { manifestsQuery } from "./api";
import { comparedManifests } from "./model/compare";
import { difference, type HistoryItem, imageText, revisionText } from "./model/history";

interface CompareProps extends ApplicationTabProps {
  older: HistoryItem;
  newer: HistoryItem;
}

const WORDS = { added: "came", removed: "went", changed: "changed" } as const;
const LOOKS = { " ": "", "-": "bg-(--removed)", "+": "bg-(--added)" } as const;
const SAID = { " ": "same", "-": "went", "+": "came" } as const;

/** What Git asked for at two times, object by object. */
export function Compare({ namespace, name, older, newer }: CompareProps) {
  const before = useQuery(manifestsQuery(namespace, name, older));
  const after = useQuery(manifestsQuery(namespace, name, newer));
  const compared = useMemo(
    () =>
      before.data && after.data
        ? comparedManifests(before.data.manifests ?? [], after.data.manifests ?? [])
        : undefined,
    [before.data, after.data],
  );
  const images = difference(older.images ?? [], newer.images ?? []);
  const error = before.error ?? after.error;
  const retry = () => void Promise.all([before.refetch(), after.refetch()]);
  return (
    <section aria-label="Comparison" className="flex flex-col gap-3">
      <h2 className="font-semibold">
        From {revisionText(older)} to {revisionText(newer)}
      </h2>
      {images.gone.length + images.come.length > 0 && (
        <p className="text-sm">
          Images: {images.gone.map(imageText).join(", ") || "none"} became{" "}
          {images.come.map(imageText).join(", ") || "none"}
        </p>
      )}
      {error && <Failed error={error} what="One of the two" onRetry={retry} />}
      {!error && !compared && <Loading sentence="Both are being rendered." />}
      {compared && (
        <p role="status" className="text-sm text-soft">
          {compared.length === 0
            ? "Both ask for the same."
            : `${compared.length} ${compared.length === 1 ? "object is" : "objects are"} not the same. Both were rendered as the application is set up today.`}
        </p>
      )}
      {compared?.map((each) => (
        <details key={each.key} className="rounded-lg border border-line bg-surface" open={compared.length <= 10}>
          <summary className="min-h-8 px-3 py-1.5 font-medium">
            {each.title} <span className="font-normal text-soft">{WORDS[each.state]}</span>
          </summary>
          <Lines title={each.title} hunks={each.hunks} />
        </details>
      ))}
    </section>
  );
}

function Lines({ title, hunks }: { title: string; hunks: readonly DiffHunk[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={`Lines of ${title}`} className="overflow-x-auto border-t border-line">
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <caption className="sr-only">What became another in {title}</caption>
        <tbody>
          {hunks.flatMap((hunk, which) =>
            hunk.lines.map((line, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
              <tr key={`${which}-${place}`} className={LOOKS[line.op]}>
                <td className="w-6 px-1 text-center">
                  <span aria-hidden>{line.op}</span>
                  <span className="sr-only">{SAID[line.op]}</span>
                </td>
                <td className="px-1 whitespace-pre">{line.text}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}
