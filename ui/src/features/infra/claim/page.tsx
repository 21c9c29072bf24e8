import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Ago } from "@/kit/ago";
import { Command } from "@/kit/command-line";
import { CopyMenu } from "@/kit/copy-menu";
import { yamlOf } from "@/kit/model/yaml";
import { Empty, Failed, Loading } from "@/kit/state";
import { CLAIMS, claimQuery, Listening, treeQuery } from "../api";
import { firstLook, grown, pathTo, worstOf } from "../model/tree";
import type { Cause, Place, Tree } from "../model/wire";
import { treeCommand } from "../model/words";
import { claimRoute, placeOf } from "../routes";
import { Simulated } from "../simulated";
import { InfraState } from "../state";
import { About } from "./about";
import { NodeDetails, Said } from "./details";
import { InfraTree } from "./tree";

const ABOUT = [CLAIMS];

export default function ClaimPage() {
  const place = placeOf(claimRoute.useParams());
  const claim = useQuery(claimQuery(place));
  const tree = useQuery(treeQuery(place));
  const go = useGo();
  useKeys([
    { id: "claim-back", keys: "Escape", title: "Back to the list", group: "Claim", run: () => go.to("/infra") },
  ]);
  const { data } = claim;
  return (
    <div className="flex h-full flex-col">
      <Listening topic={CLAIMS} about={ABOUT} />
      <header className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-2.5">
        <h1 className="text-lg font-semibold">{place.name}</h1>
        {data && <InfraState of={{ ...data, state: worstOf(data.state, tree.data) }} />}
        <Simulated said={data?.simulated} />
        <span className="flex-1 truncate text-sm text-soft">
          {place.kind} · {place.namespace || "in no namespace"}
        </span>
        {tree.dataUpdatedAt > 0 && (
          <span className="text-xs text-soft">
            Updated <Ago at={new Date(tree.dataUpdatedAt).toISOString()} />
          </span>
        )}
        <CopyMenu command={treeCommand(place)} yaml={data && (() => yamlOf(data.object))} />
      </header>
      {claim.isPending && <Loading sentence={`${place.name} is on its way.`} />}
      {claim.error && !data && <Failed error={claim.error} what={place.name} onRetry={() => void claim.refetch()} />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section tabIndex={0} aria-label={place.name} className="min-h-0 flex-1 overflow-auto p-4">
          {tree.isPending && <Loading sentence="What it is made of is on its way." />}
          {tree.error && !tree.data && (
            <Failed error={tree.error} what="What it is made of" onRetry={() => void tree.refetch()} />
          )}
          {tree.data && <Grown tree={tree.data} place={place} />}
          <About claim={data} />
        </section>
      )}
    </div>
  );
}

/** The tree beside what is known of the node that is looked at, which is the cause of all trouble until somebody chooses. */
function Grown({ tree, place }: { tree: Tree; place: Place }) {
  const { node } = claimRoute.useSearch();
  const navigate = claimRoute.useNavigate();
  const root = useMemo(() => grown(tree.nodes), [tree.nodes]);
  if (!root) return <Empty sentence={`${place.name} is made of nothing.`} command={treeCommand(place)} />;
  const wanted = node ? pathTo(root, (branch) => branch.key === node).at(-1) : undefined;
  const first = firstLook(root, tree.cause);
  const shown = wanted ?? pathTo(root, (branch) => branch.key === first).at(-1) ?? root;
  return (
    <>
      <p className="mb-3 text-base break-words">{tree.sentence}</p>
      {tree.cause && <WhatNext cause={tree.cause} />}
      {node && !wanted && (
        <p role="status" className="mb-2 text-sm text-outofsync">
          {node} is no longer part of it.
        </p>
      )}
      <div className="mb-4 grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0 rounded-lg border border-line bg-surface">
          <InfraTree
            root={root}
            label={`What ${place.name} is made of`}
            looked={shown.key}
            onLook={(key) => void navigate({ search: { node: key }, replace: true })}
          />
          {tree.more !== undefined && (
            <p className="px-3 py-2 text-sm text-soft">{tree.more.toLocaleString("en")} more parts were left out.</p>
          )}
        </div>
        <NodeDetails node={shown.node} />
      </div>
    </>
  );
}

function WhatNext({ cause }: { cause: Cause }) {
  return (
    <section aria-label="Cause" className="mb-4 flex flex-col gap-2">
      <Said title={cause.path.map(({ kind, name }) => `${kind} ${name}`).join(" → ")} text={cause.message} wrong />
      {cause.next && (
        <p className="text-sm">
          <span className="text-soft">{cause.turn ? `It is ${cause.turn} turn: ` : "Next: "}</span>
          {cause.next}
        </p>
      )}
      {cause.commands.map((line) => (
        <Command key={line} line={line} />
      ))}
    </section>
  );
}
