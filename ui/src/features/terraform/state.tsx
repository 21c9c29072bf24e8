import {
  CircleCheck,
  CircleEllipsis,
  CirclePause,
  ClipboardList,
  GitCompareArrows,
  Hourglass,
  type LucideIcon,
  OctagonX,
  Trash2,
} from "lucide-react";
import { StatusMark } from "@/kit/status";
import type { TerraformState } from "./model/wire";
import { STATE_WORDS } from "./model/words";

const LOOKS: Readonly<Record<TerraformState, [LucideIcon, string]>> = {
  applied: [CircleCheck, "text-healthy"],
  working: [CircleEllipsis, "text-progressing"],
  waiting: [Hourglass, "text-outofsync"],
  planned: [ClipboardList, "text-progressing"],
  drifted: [GitCompareArrows, "text-outofsync"],
  failed: [OctagonX, "text-degraded"],
  suspended: [CirclePause, "text-suspended"],
  deleting: [Trash2, "text-missing"],
};

export function TerraformMark({ state, why }: { state: TerraformState; why?: string | undefined }) {
  const [icon, colour] = LOOKS[state] ?? LOOKS.working;
  return <StatusMark icon={icon} colour={colour} word={STATE_WORDS[state] ?? state} why={why} />;
}
