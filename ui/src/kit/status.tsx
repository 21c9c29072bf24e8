import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleEllipsis,
  CircleHelp,
  CirclePause,
  CloudCheck,
  GitCompareArrows,
  type LucideIcon,
  OctagonX,
} from "lucide-react";
import { classes } from "./classes";
import type { Health, Sync } from "./model/status";

const HEALTH: Record<Health, [LucideIcon, string]> = {
  Healthy: [CircleCheck, "text-healthy"],
  Progressing: [CircleEllipsis, "text-progressing"],
  Degraded: [OctagonX, "text-degraded"],
  Suspended: [CirclePause, "text-suspended"],
  Missing: [CircleDashed, "text-missing"],
  Unknown: [CircleHelp, "text-unknown"],
};

const SYNC: Record<Sync, [LucideIcon, string, string]> = {
  Synced: [CloudCheck, "text-synced", "Synced"],
  OutOfSync: [GitCompareArrows, "text-outofsync", "Out of sync"],
  Blocked: [Ban, "text-blocked", "Blocked"],
  Unknown: [CircleHelp, "text-unknown", "Unknown"],
};

interface Looks {
  icon: LucideIcon;
  colour: string;
  word: string;
  /** What is behind the word, in the server's words. */
  why?: string | undefined;
  className?: string | undefined;
}

/** A state as shape, word and colour, so that no one of the three is needed to read it. */
export function StatusMark({ icon: Icon, colour, word, why, className }: Looks) {
  return (
    <span
      className={classes("inline-flex align-middle items-center gap-1.5 whitespace-nowrap", colour, className)}
      title={why}
    >
      <Icon aria-hidden size={16} strokeWidth={2.2} className="shrink-0" />
      {word}
    </span>
  );
}

interface Of<T> {
  status: T;
  why?: string | undefined;
  className?: string;
}

export function HealthStatus({ status, why, className }: Of<Health>) {
  const [icon, colour] = HEALTH[status];
  return <StatusMark icon={icon} colour={colour} word={status} why={why} className={className} />;
}

export function SyncStatus({ status, why, className }: Of<Sync>) {
  const [icon, colour, word] = SYNC[status];
  return <StatusMark icon={icon} colour={colour} word={word} why={why} className={className} />;
}
