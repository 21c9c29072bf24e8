import { useVirtualizer } from "@tanstack/react-virtual";
import { Link2 } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { classes } from "@/kit/classes";
import type { LogItem } from "./model/markers";
import { podColour, pointedAt } from "./model/search";

const ROW_PX = 24;
const SPARE = 20;
/** Somebody within so many lines of the end wants to see what comes. */
const NEAR_PX = ROW_PX * 3;

interface LinesProps {
  items: readonly LogItem[];
  pods: readonly string[];
  /** Whether the end is kept in sight. */
  following: boolean;
  line: string;
  onPoint: (pod: string, stamp: string) => void;
}

/** Lines in sight, of however many there are. */
export function LogLines({ items, pods, following, line, onPoint }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: SPARE,
    getItemKey: (place) => items[place]?.key ?? place,
  });
  const point = useMemo(() => pointedAt(line), [line]);
  const pointed = point
    ? items.findIndex((item) => item.kind === "line" && item.line.pod === point.pod && item.line.stamp === point.stamp)
    : -1;
  useEffect(() => {
    if (pointed >= 0) virtualizer.scrollToIndex(pointed, { align: "center" });
    else if (following && atEnd.current && items.length > 0) virtualizer.scrollToIndex(items.length - 1);
  }, [pointed, following, items.length, virtualizer]);
  const noteEnd = () => {
    const box = scroller.current;
    if (box) atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
  };
  return (
    <div
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label="Lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
      tabIndex={0}
      onScroll={noteEnd}
      className="min-h-64 flex-1 overflow-auto rounded-lg border border-line bg-surface font-mono text-xs"
    >
      <div className="relative w-max min-w-full" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((row) => {
          const item = items[row.index];
          if (!item) return null;
          return (
            <div
              key={row.key}
              className="absolute top-0 left-0 min-w-full"
              style={{ height: ROW_PX, transform: `translateY(${row.start}px)` }}
            >
              {item.kind === "marker" ? (
                <p className="flex h-full items-center gap-2 bg-(--changed) px-2 font-sans text-ink">
                  <span aria-hidden>▲</span>
                  <time>{item.marker.at}</time>
                  {item.marker.text}
                </p>
              ) : (
                <Line item={item} pods={pods} pointed={row.index === pointed} onPoint={onPoint} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface LineProps {
  item: Extract<LogItem, { kind: "line" }>;
  pods: readonly string[];
  pointed: boolean;
  onPoint: (pod: string, stamp: string) => void;
}

function Line({ item: { line }, pods, pointed, onPoint }: LineProps) {
  return (
    <p
      aria-current={pointed ? "location" : undefined}
      className={classes("flex h-full items-center gap-2 px-1 whitespace-pre hover:bg-hover", pointed && "bg-chosen")}
    >
      {line.stamp ? (
        <button
          type="button"
          aria-label={`Copy link to the line of ${line.stamp}`}
          title={`Copy link to the line of ${line.stamp}`}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded text-soft hover:text-ink"
          onClick={() => onPoint(line.pod, line.stamp)}
        >
          <Link2 aria-hidden size={14} />
        </button>
      ) : (
        <span className="w-6" />
      )}
      <time className="text-soft">{line.stamp.slice(0, 23)}</time>
      {line.pod && <span className={podColour(pods, line.pod)}>{line.pod}</span>}
      <span>{line.text}</span>
    </p>
  );
}
