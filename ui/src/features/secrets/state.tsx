import { CircleCheck, CircleEllipsis, type LucideIcon, OctagonX } from "lucide-react";
import { StatusMark } from "@/kit/status";
import type { SecretState } from "./model/wire";
import { STATE_WORDS } from "./model/words";

const LOOKS: Readonly<Record<SecretState, [LucideIcon, string]>> = {
  well: [CircleCheck, "text-healthy"],
  waiting: [CircleEllipsis, "text-progressing"],
  wrong: [OctagonX, "text-degraded"],
};

export function SecretMark({ state }: { state: SecretState }) {
  const [icon, colour] = LOOKS[state] ?? LOOKS.waiting;
  return <StatusMark icon={icon} colour={colour} word={STATE_WORDS[state] ?? state} />;
}
