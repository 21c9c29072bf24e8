import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, TriangleAlert } from "lucide-react";
import { CopyMenu } from "@/kit/copy-menu";
import { yamlOf } from "@/kit/model/yaml";
import { Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { explainedQuery } from "./api";
import type { ChainLink, Explained } from "./model/wire";
import { commandFor, ownerText, resourceText } from "./model/words";
import { Sides } from "./sides";

/** Whose something is, how that is known, and both sides where two want it. */
export function Explanation({ said }: { said: string }) {
  const { data, error, isPending, refetch } = useQuery(explainedQuery(said));
  if (isPending) return <Loading sentence="Its owner is being looked for." />;
  if (error) return <Failed error={error} what={said} onRetry={() => void refetch()} />;
  const [first] = data.chain;
  return (
    <>
      <section aria-label="Owner" className="rounded-md border border-line bg-surface p-4">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="flex-1 font-semibold">{resourceText(data.resource)}</h2>
          <CopyMenu command={commandFor(data.resource)} yaml={() => yamlOf(data)} />
        </div>
        <Verdict explained={data} />
      </section>
      {first?.claims && first.claims.length > 0 && (
        <section aria-label="Claims">
          <h2 className="mb-1 font-semibold text-base">{data.contested ? "Both sides" : "Who says so"}</h2>
          <Sides claims={first.claims} owner={data.contested ? (first.owner ?? data.owner) : null} />
        </section>
      )}
      {data.chain.length > 1 && <Chain links={data.chain} />}
    </>
  );
}

function Verdict({ explained: { owner: root, contested, chain } }: { explained: Explained }) {
  const owner = chain[0]?.owner ?? root;
  if (contested) {
    const has = owner ? `${ownerText(owner)} has it` : "nobody has it";
    return <StatusMark icon={TriangleAlert} colour="text-degraded" word={`Contested; ${has}`} />;
  }
  if (!owner) return <StatusMark icon={CircleDashed} colour="text-unknown" word="Nobody declares to own it" />;
  return (
    <p className="flex flex-wrap gap-x-3">
      <StatusMark icon={CircleCheck} colour="text-healthy" word={ownerText(owner)} />
      {root && ownerText(root) !== ownerText(owner) && <span className="text-soft">through {ownerText(root)}</span>}
    </p>
  );
}

function Chain({ links }: { links: readonly ChainLink[] }) {
  return (
    <section aria-label="How it comes to its owner">
      <h2 className="mb-1 font-semibold text-base">How it comes to its owner</h2>
      <ol className="text-sm">
        {links.map((link) => (
          <li key={resourceText(link.resource)} className="border-line border-b py-1.5">
            {resourceText(link.resource)}
            {link.parent && <span className="text-soft"> is part of {resourceText(link.parent)}</span>}
            {!link.parent && link.owner && <span className="text-soft"> belongs to {ownerText(link.owner)}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
