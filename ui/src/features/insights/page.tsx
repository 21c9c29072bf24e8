import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { CopyMenu } from "@/kit/copy-menu";
import { Empty, Failed, Loading } from "@/kit/state";
import { driftQuery, leadQuery } from "./api";
import { DayChart, Ranking } from "./chart";
import { daily, lengthText, spanOf, subjectText } from "./model/bars";
import { insightsRoute, SPANS } from "./routes";

type TimeSpan = ReturnType<typeof spanOf>;

export default function InsightsPage() {
  const { days = 30 } = insightsRoute.useSearch();
  const span = useMemo(() => spanOf(days, Date.now()), [days]);
  return (
    <div className="mx-auto max-w-5xl p-4">
      <header className="flex flex-wrap items-center gap-3">
        <h1 className="flex-1 font-semibold text-lg">Insights</h1>
        <nav aria-label="Span of time" className="flex gap-1 text-sm">
          {SPANS.map((each) => (
            <Link
              key={each}
              to="/insights"
              search={each === 30 ? {} : { days: each }}
              aria-current={each === days ? "true" : undefined}
              className={`flex h-8 items-center rounded-md px-3 ${each === days ? "bg-chosen font-medium" : "text-soft hover:bg-hover"}`}
            >
              {each} days
            </Link>
          ))}
        </nav>
        <CopyMenu />
      </header>
      <div className="grid gap-4 lg:grid-cols-2">
        <LeadTime span={span} />
        <Drift span={span} />
      </div>
    </div>
  );
}

function Measure(props: { title: string; definition: string; children: ReactNode }) {
  return (
    <section aria-label={props.title} className="mt-4 rounded-md border border-line bg-surface p-4">
      <h2 className="font-semibold text-base">{props.title}</h2>
      {props.definition && <p className="text-sm text-soft">{props.definition}.</p>}
      {props.children}
    </section>
  );
}

function LeadTime({ span }: { span: TimeSpan }) {
  const { data, error, isPending, refetch } = useQuery(leadQuery(span.since));
  const title = "Lead time";
  if (isPending)
    return (
      <Measure title={title} definition="">
        <Loading sentence="The journal is being read." />
      </Measure>
    );
  if (error)
    return (
      <Measure title={title} definition="">
        <Failed error={error} what="The lead time" onRetry={() => void refetch()} />
      </Measure>
    );
  const bars = daily(data.days ?? [], span, ({ p50Seconds = 0, count }) => ({
    value: p50Seconds,
    text: `${lengthText(p50Seconds)} at the median of ${count}`,
  }));
  const slowest = (data.applications ?? []).map(({ application, p50Seconds = 0, count }) => ({
    key: subjectText(application),
    label: subjectText(application),
    value: p50Seconds,
    text: `${lengthText(p50Seconds)}, ${count} times`,
  }));
  return (
    <Measure title={title} definition={data.definition}>
      {data.count === 0 ? (
        <Empty sentence="No commit has become healthy in this time." />
      ) : (
        <>
          <Figures
            figures={[
              ["Half of all within", lengthText(data.p50Seconds)],
              ["Nine of ten within", lengthText(data.p90Seconds)],
              ["Deliveries", String(data.count)],
            ]}
          />
          <DayChart title="Median lead time by day" bars={bars} colour="accent" />
          <Ranking title="Slowest applications" bars={slowest} colour="accent" />
        </>
      )}
    </Measure>
  );
}

function Drift({ span }: { span: TimeSpan }) {
  const { data, error, isPending, refetch } = useQuery(driftQuery(span.since));
  const title = "Drift";
  if (isPending)
    return (
      <Measure title={title} definition="">
        <Loading sentence="The journal is being read." />
      </Measure>
    );
  if (error)
    return (
      <Measure title={title} definition="">
        <Failed error={error} what="Drift" onRetry={() => void refetch()} />
      </Measure>
    );
  const bars = daily(data.days ?? [], span, ({ count }) => ({ value: count, text: times(count) }));
  const managers = Object.entries(data.managers ?? {}).map(([name, count]) => ({
    key: name,
    label: name,
    value: count,
    text: times(count),
  }));
  const drifters = (data.drifters ?? []).map(({ subject, count }) => ({
    key: subjectText(subject),
    label: subjectText(subject),
    value: count,
    text: times(count),
  }));
  return (
    <Measure title={title} definition={data.definition}>
      {data.count === 0 ? (
        <Empty sentence="Nothing has drifted in this time." />
      ) : (
        <>
          <Figures
            figures={[
              ["Drifted", times(data.count)],
              ["Not healed yet", String(data.open)],
              ["Half healed within", lengthText(data.p50Seconds)],
            ]}
          />
          <DayChart title="Drift by day" bars={bars} colour="outofsync" />
          <Ranking title="What drifts most" bars={drifters} colour="outofsync" />
          <Ranking title="Who makes it drift" bars={managers} colour="outofsync" />
        </>
      )}
    </Measure>
  );
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

function Figures({ figures }: { figures: readonly (readonly [string, string])[] }) {
  return (
    <dl className="mt-3 flex flex-wrap gap-6">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="text-soft text-xs">{name}</dt>
          <dd className="font-semibold text-lg tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
