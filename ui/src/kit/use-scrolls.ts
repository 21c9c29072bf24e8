import { useCallback, useState } from "react";

/** Whether something is wider than its place, so that it scrolls: then it must be reachable by the keyboard. */
export function useScrolls<E extends HTMLElement>(): [
  ref: (box: E | null) => (() => void) | undefined,
  scrolls: boolean,
] {
  const [scrolls, setScrolls] = useState(false);
  const ref = useCallback((box: E | null) => {
    if (!box) return undefined;
    const look = () => setScrolls(box.scrollWidth > box.clientWidth);
    const watching = new ResizeObserver(look);
    watching.observe(box);
    look();
    return () => watching.disconnect();
  }, []);
  return [ref, scrolls];
}
