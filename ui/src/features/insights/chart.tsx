import { useId } from "react";
import { type Bar, share } from "./model/bars";

const HEIGHT = 120;
const WIDTH = 20;
const GAP = 4;

interface ChartProps {
  title: string;
  bars: readonly Bar[];
  /** Token of the colour: `accent`, `outofsync`. */
  colour: "accent" | "outofsync";
}

const COLOURS = { accent: "fill-accent", outofsync: "fill-outofsync" } as const;

/** Bars for days. The same is in a table below, for those who do not see them and for those who want the figures. */
export function DayChart({ title, bars, colour }: ChartProps) {
  const id = useId();
  return (
    <figure className="my-3">
      <svg
        role="img"
        aria-labelledby={id}
        viewBox={`0 0 ${bars.length * (WIDTH + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-32 w-full border-line border-b"
      >
        <title id={id}>{title}</title>
        {bars.map((bar, place) => {
          const height = share(bar.value, bars) * HEIGHT;
          return (
            <rect
              key={bar.key}
              className={COLOURS[colour]}
              x={place * (WIDTH + GAP)}
              y={HEIGHT - height}
              width={WIDTH}
              height={height}
            />
          );
        })}
      </svg>
      <figcaption className="flex justify-between text-soft text-xs">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
      <Figures title={title} bars={bars.filter((bar) => bar.value > 0)} />
    </figure>
  );
}

function Figures({ title, bars }: { title: string; bars: readonly Bar[] }) {
  if (bars.length === 0) return null;
  return (
    <details className="mt-1 text-sm">
      <summary className="min-h-6 cursor-pointer text-soft">The figures</summary>
      <table className="text-left">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="text-soft">
            <th scope="col" className="pr-6 font-medium">
              Day
            </th>
            <th scope="col" className="font-medium">
              Figure
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.key}>
              <th scope="row" className="pr-6 font-normal">
                {bar.label}
              </th>
              <td>{bar.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Names with a bar each, the longest first. */
export function Ranking({ title, bars, colour }: ChartProps) {
  if (bars.length === 0) return null;
  return (
    <section aria-label={title} className="my-3">
      <h3 className="mb-1 font-semibold text-sm">{title}</h3>
      <ol className="flex flex-col gap-1.5">
        {bars.map((bar) => (
          <li key={bar.key} className="text-sm">
            <span className="flex justify-between gap-3">
              <span className="min-w-0 truncate">{bar.label}</span>
              <span className="text-soft tabular-nums">{bar.text}</span>
            </span>
            <svg aria-hidden viewBox="0 0 100 2" preserveAspectRatio="none" className="h-1.5 w-full">
              <rect className={COLOURS[colour]} width={share(bar.value, bars) * 100} height={2} />
            </svg>
          </li>
        ))}
      </ol>
    </section>
  );
}
