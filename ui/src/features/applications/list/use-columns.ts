import { type RefObject, useEffect, useState } from "react";
import { rem } from "./use-lines";

const TILE_REM = 19;

/** How many tiles stand beside each other in *element*, once it is there. */
export function useColumns(element: RefObject<HTMLElement | null>, tiles: boolean, there: boolean): number {
  const [columns, setColumns] = useState(3);
  useEffect(() => {
    const box = element.current;
    if (!tiles || !there || !box) return;
    const observer = new ResizeObserver(() => setColumns(Math.max(1, Math.floor(box.clientWidth / rem(TILE_REM)))));
    observer.observe(box);
    return () => observer.disconnect();
  }, [element, tiles, there]);
  return tiles ? columns : 1;
}
