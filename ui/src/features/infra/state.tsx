import { CircleCheck, CircleEllipsis, CirclePause, type LucideIcon, OctagonX, Trash2 } from "lucide-react";
import { StatusMark } from "@/kit/status";
import type { Claim, ClaimState } from "./model/wire";
import { stateWord } from "./model/words";

const LOOKS: Readonly<Record<ClaimState, [LucideIcon, string]>> = {
  well: [CircleCheck, "text-healthy"],
  waiting: [CircleEllipsis, "text-progressing"],
  wrong: [OctagonX, "text-degraded"],
};

/** How a claim, or a part of one, is: shape, word and colour. */
export function InfraState({
  of,
  why,
}: {
  of: Pick<Claim, "state" | "paused" | "deletedAt">;
  why?: string | undefined;
}) {
  const [icon, colour] = of.deletedAt
    ? ([Trash2, "text-missing"] as const)
    : of.paused
      ? ([CirclePause, "text-suspended"] as const)
      : (LOOKS[of.state] ?? LOOKS.waiting);
  return <StatusMark icon={icon} colour={colour} word={stateWord(of)} why={why} />;
}
