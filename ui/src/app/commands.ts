import { useEffect } from "react";
import { createStore } from "@/kit/model/store";
import { useStore } from "@/kit/use-store";
import type { Command } from "./feature";
import { useFeatures } from "./features-context";

const present = createStore<readonly Command[]>([]);

/** Commands that make sense while the component is there, such as those about the chosen application. Memoise them. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    present.set((before) => [...commands, ...before]);
    return () => present.set((before) => before.filter((each) => !commands.includes(each)));
  }, [commands]);
}

/** What the palette offers now: what the screen adds first, then what rooms always offer. */
export function useAllCommands(): readonly Command[] {
  const here = useStore(present);
  const always = useFeatures().flatMap((each) => each.commands ?? []);
  return [...here, ...always];
}
