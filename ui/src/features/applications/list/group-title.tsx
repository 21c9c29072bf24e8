import { ChevronDown, ChevronRight } from "lucide-react";
import type { Group } from "../model/layout";
import { counted } from "../model/sync";

interface GroupTitleProps {
  group: Group;
  folded: boolean;
  onFold: (name: string) => void;
}

export function GroupTitle({ group, folded, onFold }: GroupTitleProps) {
  const Chevron = folded ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      aria-expanded={!folded}
      onClick={() => onFold(group.name)}
      className="flex h-10 w-full items-center gap-2 px-3 text-left font-semibold hover:bg-hover"
    >
      <Chevron aria-hidden size={16} />
      {group.name || "(none)"}
      <span className="font-normal text-soft">{counted(group.count, "application")}</span>
    </button>
  );
}
