import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Ago } from "@/kit/ago";
import { outputsQuery } from "../api";
import { happenings } from "../model/history";
import type { TerraformPage } from "../model/wire";

/** What an object says of itself, and what it gives to others. */
export function Facts({ of }: { of: TerraformPage }) {
  const { lastAppliedRevision = "", availableOutputs = [] } = of.status;
  // Another apply may have brought others.
  const version = `${lastAppliedRevision} ${availableOutputs.join()}`;
  const outputs = useQuery(outputsQuery(of.namespace, of.name, version));
  const names = outputs.data ?? availableOutputs.map((name) => ({ name, sensitive: false }));
  const facts: [string, ReactNode][] = [
    ["Source", `${of.source ?? ""} ${of.path && of.path !== "." ? of.path : ""}`],
    ["Applied", lastAppliedRevision || "never"],
    ["Approval", of.approval === "auto" ? "by itself, where nothing is in danger" : "by people"],
    ["Workspace", of.workspace ?? "default"],
    ...(of.resources ? ([["Resources", of.resources]] as [string, ReactNode][]) : []),
    ["Drift", driftOf(of)],
    ["Variables", of.spec.variables?.map((each) => each.name).join(", ") || "none"],
    ["Outputs", names.map((each) => (each.sensitive ? `${each.name} (sensitive)` : each.name)).join(", ") || "none"],
    ["Outputs go to", of.spec.outputsSecret ? `Secret ${of.spec.outputsSecret}` : "nowhere"],
  ];
  return (
    <section aria-label="About the object">
      <h2 className="mb-1.5 text-base font-semibold">About the object</h2>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 text-sm">
        {facts.map(([title, value]) => (
          <div key={title} className="contents">
            <dt className="text-soft">{title}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
        {of.application && (
          <div className="contents">
            <dt className="text-soft">Delivered by</dt>
            <dd>
              <Link to="/applications/$namespace/$name" params={of.application} className="underline">
                {of.application.name}
              </Link>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function driftOf(of: TerraformPage): ReactNode {
  if (of.spec.disableDriftDetection) return "nobody looks for it";
  if (of.state === "drifted") return "what is there is not what was applied";
  if (!of.status.lastDriftDetectedAt) return "none was seen";
  return (
    <>
      last seen <Ago at={of.status.lastDriftDetectedAt} />
    </>
  );
}

/** Everything that happened to it, the newest first, each with who did it. */
export function Timeline({ of }: { of: TerraformPage }) {
  const told = happenings(of.history, of.approvals ?? []);
  return (
    <section aria-label="What happened">
      <h2 className="mb-1.5 text-base font-semibold">What happened</h2>
      {told.length === 0 && <p className="text-sm text-soft">Nothing is in the journal about it.</p>}
      <ol className="flex flex-col gap-2 text-sm">
        {told.map((each) => (
          <li key={each.id} className="border-l-2 border-line pl-2.5">
            <p className="break-words">{each.said}</p>
            {each.comment && <p className="break-words text-soft">“{each.comment}”</p>}
            <p className="text-xs text-soft">
              {each.by} · <Ago at={each.at} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
