import {
  CircleCheck,
  CircleDashed,
  CircleEllipsis,
  GitCompareArrows,
  LogIn,
  type LucideIcon,
  OctagonX,
  ShieldX,
  ThumbsUp,
} from "lucide-react";
import { StatusMark } from "@/kit/status";
import { KINDS } from "./model/entry";

const LOOKS: Readonly<Record<string, [LucideIcon, string]>> = {
  performed: [CircleCheck, "text-healthy"],
  healed: [CircleCheck, "text-healthy"],
  healthy: [CircleCheck, "text-healthy"],
  approved: [ThumbsUp, "text-healthy"],
  intended: [CircleEllipsis, "text-progressing"],
  refused: [ShieldX, "text-blocked"],
  rejected: [ShieldX, "text-blocked"],
  failed: [OctagonX, "text-degraded"],
  degraded: [OctagonX, "text-degraded"],
  drifted: [GitCompareArrows, "text-outofsync"],
  login: [LogIn, "text-soft"],
};

export function KindMark({ kind }: { kind: string }) {
  const [icon, colour] = LOOKS[kind] ?? [CircleDashed, "text-soft"];
  return <StatusMark icon={icon} colour={colour} word={kind} why={KINDS[kind]} />;
}
