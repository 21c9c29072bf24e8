import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, CircleDashed, CloudCheck, FilePlus2, GitCompareArrows } from "lucide-react";
import { useState } from "react";
import type { ApplicationTabProps } from "@/app/feature";
import { sizeOf } from "@/diff/choice";
import { objectTitle } from "@/diff/names";
import type { DiffItem } from "@/diff/wire";
import { Button } from "@/kit/button";
import { Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { sidesQuery } from "./api";
import { HunkTable } from "./hunks";
import { type Side, sideText } from "./model/sides";

const STATES = {
  Missing: { icon: FilePlus2, colour: "text-missing", word: "Is not there: a sync creates it" },
  Extra: { icon: CircleDashed, colour: "text-outofsync", word: "Is no longer in Git: a sync that prunes deletes it" },
  Synced: { icon: CloudCheck, colour: "text-synced", word: "As Git asks for" },
} as const;
const DIFFERS = { icon: GitCompareArrows, colour: "text-outofsync", word: "Differs" } as const;

interface ObjectDiffProps {
  application: ApplicationTabProps;
  item: DiffItem;
  side: Side;
  stamp: string;
  open: boolean;
  onOnly: () => void;
}

export function ObjectDiff({ application, item, side, stamp, open, onOnly }: ObjectDiffProps) {
  const [opened, setOpened] = useState(open);
  const title = objectTitle(item);
  const { added, removed } = sizeOf(item);
  const state = item.state in STATES ? STATES[item.state as keyof typeof STATES] : DIFFERS;
  const Chevron = opened ? ChevronDown : ChevronRight;
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-1.5">
        <button
          type="button"
          aria-expanded={opened}
          className="inline-flex min-h-8 items-center gap-1.5 font-medium"
          onClick={() => setOpened(!opened)}
        >
          <Chevron aria-hidden size={16} />
          {title}
        </button>
        <StatusMark {...state} className="text-sm" />
        {added + removed > 0 && (
          <span className="text-sm text-soft">
            {removed} {removed === 1 ? "line goes" : "lines go"}, {added} {added === 1 ? "comes" : "come"}
          </span>
        )}
        <span className="flex-1" />
        <Button look="quiet" onClick={onOnly} aria-label={`Only this: ${title}`}>
          Only this
        </Button>
      </header>
      {opened &&
        (side === "changes" ? (
          <Changes item={item} application={application.name} />
        ) : (
          <OneSide application={application} item={item} side={side} stamp={stamp} />
        ))}
    </section>
  );
}

function Changes({ item, application }: { item: DiffItem; application: string }) {
  if (!item.hunks?.length) {
    const fields = (item.changes ?? []).map((change) => change.path);
    return (
      <p className="border-t border-line px-3 py-2 text-sm text-soft">
        {item.truncated
          ? `It is too long to be shown line by line. ${fields.length} fields differ: ${fields.slice(0, 20).join(", ")}`
          : "Nothing differs."}
      </p>
    );
  }
  return <HunkTable item={item} application={application} />;
}

interface OneSideProps {
  application: ApplicationTabProps;
  item: DiffItem;
  side: Exclude<Side, "changes">;
  stamp: string;
}

function OneSide({ application, item, side, stamp }: OneSideProps) {
  const { data, error, refetch } = useQuery(sidesQuery(application.namespace, application.name, item, stamp));
  if (error) return <Failed error={error} what="The object" onRetry={() => void refetch()} />;
  if (!data) return <Loading sentence="The object is on its way." />;
  const text = sideText(data, side);
  if (!text) {
    return <p className="border-t border-line px-3 py-2 text-sm text-soft">The object is not there on this side.</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <pre tabIndex={0} className="max-h-[36rem] overflow-auto border-t border-line p-3 font-mono text-xs leading-5">
      {text}
    </pre>
  );
}
