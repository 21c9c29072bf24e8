import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { Ago } from "@/kit/ago";
import type { TreeNode } from "../model/wire";
import { conditionWord, PRESENCE_SAID, partsSaid, ROLE_WORDS } from "../model/words";
import { Simulated } from "../simulated";
import { InfraState } from "../state";

/** All that is known of one node. */
export function NodeDetails({ node }: { node: TreeNode }) {
  return (
    <section aria-label={`Details of ${node.name}`} className="flex flex-col gap-3">
      <h2 className="text-base font-semibold break-all">{node.name}</h2>
      <p className="flex flex-wrap gap-x-3 text-sm text-soft">
        <InfraState of={node} />
        <span>
          {node.kind}
          {node.group && `.${node.group}`}
        </span>
        <span>{ROLE_WORDS[node.role]}</span>
        <Simulated said={node.simulated} />
      </p>
      {node.presence !== "present" && (
        <Said title={PRESENCE_SAID[node.presence]} text={node.why ?? ""} wrong={node.presence !== "forbidden"} />
      )}
      {node.message && <Said title={node.reason ?? "It says"} text={node.message} wrong={node.state === "wrong"} />}
      {node.drift && <Said title="It is not as it should be in the cloud" text={node.drift} wrong />}
      {partsSaid(node) && <p className="text-sm text-soft">{partsSaid(node)}</p>}
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 text-sm">
        {node.presence === "present" && node.role !== "object" && (
          <Fact title="Conditions">
            {conditionWord("Synced", node.synced)}, {conditionWord("Ready", node.ready).toLowerCase()}
          </Fact>
        )}
        {node.externalName && (
          <Fact title="Name in the cloud">
            <code className="font-mono break-all">{node.externalName}</code> <Console address={node.console} />
          </Fact>
        )}
        {node.provider && <Fact title="Cloud">{node.provider}</Fact>}
        {node.simulated && <Fact title="Not real">{node.simulated}</Fact>}
        {node.providerConfig && <Fact title="Through">{node.providerConfig}</Fact>}
        {node.namespace && <Fact title="Namespace">{node.namespace}</Fact>}
        {node.resourceName && <Fact title="In the composition">{node.resourceName}</Fact>}
        {node.changedAt && (
          <Fact title="Last seen to change">
            <Ago at={node.changedAt} />
          </Fact>
        )}
        {node.since && (
          <Fact title="In this state since">
            <Ago at={node.since} />
          </Fact>
        )}
        {node.createdAt && (
          <Fact title="Made">
            <Ago at={node.createdAt} />
          </Fact>
        )}
      </dl>
    </section>
  );
}

/** An address of another site, which came from the server: only what a browser opens as a page is a link. */
function Console({ address }: { address: string | undefined }) {
  if (!address?.startsWith("https://")) return null;
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      className="inline-flex min-h-6 items-center gap-1 text-accent underline"
    >
      Open the console <ExternalLink aria-hidden size={13} />
      <span className="sr-only">(another site)</span>
    </a>
  );
}

export function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{title}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** Words of others, to the letter. */
export function Said({ title, text, wrong }: { title: string; text: string; wrong: boolean }) {
  return (
    <div className={`rounded-md border p-2.5 ${wrong ? "border-degraded" : "border-line"}`}>
      <p className={`text-sm font-medium ${wrong ? "text-degraded" : ""}`}>{title}</p>
      {text && <pre className="mt-1 font-mono text-xs break-words whitespace-pre-wrap">{text}</pre>}
    </div>
  );
}
