import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import type { ReactNode } from "react";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { copyText } from "@/kit/clipboard";
import { yamlOf } from "@/kit/model/yaml";
import { Failed, Loading, NotThere } from "@/kit/state";
import { changeQuery, entryQuery } from "./api";
import { KindMark } from "./mark";
import { actorText, causeText, KINDS, objectOf, partsOf, thingText } from "./model/entry";
import type { ChangesSearch } from "./model/search";
import type { Entry } from "./model/wire";

/** One entry with everything that it says, and what else belongs to the same change. */
export default function ChangeDrawer({ id: drawer }: { id: string }) {
  const { at, id } = partsOf(drawer);
  const { data, error, isPending, refetch } = useQuery(entryQuery(at, id));
  if (isPending) return <Loading sentence="The entry is being looked for." />;
  if (error) return <Failed error={error} what="The entry" onRetry={() => void refetch()} />;
  if (!data) return <NotThere sentence="There is no such entry, or none that you may see." detail={id} />;
  return (
    <>
      <p className="mb-3 text-base">{data.summary || KINDS[data.kind]}</p>
      <Facts entry={data} />
      {data.details && <Details details={data.details} />}
      {data.change && <SameChange change={data.change} here={data.id} />}
      <Button icon={Copy} className="mt-4" onClick={() => void copyText(yamlOf(data), "YAML")}>
        Copy as YAML
      </Button>
    </>
  );
}

function Facts({ entry }: { entry: Entry }) {
  const object = objectOf(entry.subject);
  const facts: [string, ReactNode][] = [
    ["What", <KindMark key="kind" kind={entry.kind} />],
    ["Verb", entry.verb],
    [
      "When",
      <time key="at" dateTime={entry.at}>
        {new Date(entry.at).toLocaleString()}
      </time>,
    ],
    ["Who", <Also key="actor" search={{ actor: actorText(entry) }} text={actorText(entry)} />],
    [
      "Object",
      object ? <Also key="object" search={{ object }} text={thingText(entry.subject)} /> : thingText(entry.subject),
    ],
    ["Because of", causeText(entry)],
    ["Change", entry.change && <Also key="change" search={{ change: entry.change }} text={entry.change} />],
    ["Entry", entry.id],
  ];
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-x-4 gap-y-1.5 text-sm">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** What else there is with the same. */
function Also({ search, text }: { search: ChangesSearch; text: string }) {
  return (
    <Link to="/changes" search={{ ...search }} className="inline-flex min-h-6 items-center break-all underline">
      {text}
    </Link>
  );
}

function Details({ details }: { details: Record<string, unknown> }) {
  return (
    <section aria-label="Options and effect" className="mt-4">
      <h3 className="mb-1 font-semibold text-sm">Options and effect</h3>
      <pre className="whitespace-pre-wrap break-words rounded bg-canvas p-2 font-mono text-xs">{yamlOf(details)}</pre>
    </section>
  );
}

function SameChange({ change, here }: { change: string; here: string }) {
  const { data } = useQuery(changeQuery(change));
  if (!data || data.length < 2) return null;
  return (
    <section aria-label="The same change" className="mt-4">
      <h3 className="mb-1 font-semibold text-sm">The same change, from its beginning</h3>
      <ol className="text-sm">
        {data.map((each) => (
          <li key={each.id} aria-current={each.id === here} className="flex gap-3 border-line border-b py-1">
            <KindMark kind={each.kind} />
            <span className="flex-1">{each.summary || thingText(each.subject)}</span>
            <span className="text-soft">
              <Ago at={each.at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
