import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";
import { usePreferences } from "@/app/preferences";
import type { Layout } from "../model/layout";
import { pagesFor } from "../model/page";

const REM: Record<"row" | "tile", Record<"comfortable" | "compact", number>> = {
  row: { comfortable: 2.75, compact: 2 },
  tile: { comfortable: 9, compact: 7.5 },
};
const GROUP_REM = 2.5;

export const rem = (size: number): number =>
  size * (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);

/** The lines that are in sight, of rows or of tiles. */
export function useLines(layout: Layout, scroller: RefObject<HTMLElement | null>, shape: "row" | "tile") {
  const { density } = usePreferences();
  const virtualizer = useVirtualizer({
    count: layout.lines,
    getScrollElement: () => scroller.current,
    estimateSize: (line) => rem(layout.at(line).kind === "group" ? GROUP_REM : REM[shape][density]),
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes the height of a line is a reason to measure
  useEffect(() => virtualizer.measure(), [layout, density, shape]);
  return virtualizer;
}

/** Where the pages begin that the lines from *first* to *last* need. */
export function offsetsFor(layout: Layout, first: number, last: number): number[] {
  return pagesFor(placeOf(layout, first), placeOf(layout, last));
}

function placeOf(layout: Layout, line: number): number {
  const at = layout.at(line);
  return at.kind === "group" ? at.group.first : at.first + Math.max(at.count - 1, 0);
}
