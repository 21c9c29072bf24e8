import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "@/api/errors";
import type { ApplicationTabProps } from "@/app/feature";
import { useApplication } from "@/features/application/api";
import type { Application } from "@/features/applications/model/wire";
import { useTree } from "@/features/topology/api";
import { treeOf } from "@/features/topology/model/tree";
import type { WireTree } from "@/features/topology/model/wire";
import { OutwardLinks } from "@/kit/links";
import { Failed, Loading } from "@/kit/state";
import { linksQuery, revisionQuery } from "./api";
import { Conditions } from "./conditions";
import { Headline } from "./headline";
import { KindSummary } from "./kind-summary";
import { wantedRevision } from "./model/timeline";
import type { WholeApplication } from "./model/wire";
import { Releases } from "./releases";
import { Timeline } from "./timeline";

/** How it is, how it came to be so, and what to do about it. */
export default function OverviewTab({ namespace, name }: ApplicationTabProps) {
  const { data, error, isPending, refetch } = useApplication(namespace, name);
  const tree = useTree(namespace, name);
  if (isPending) return <Loading sentence={`${name} is on its way.`} />;
  if (error && !data) return <Failed error={error} what={name} onRetry={() => void refetch()} />;
  return <Overview application={data} namespace={namespace} tree={tree.data} missing={tree.error} />;
}

interface OverviewProps {
  application: Application;
  namespace: string;
  tree: WireTree | undefined;
  /** Why there is no tree. */
  missing: Error | null;
}

function Overview({ application, namespace, tree, missing }: OverviewProps) {
  const whole: WholeApplication = application;
  const name = application.metadata.name;
  const branch = useMemo(() => (tree ? treeOf(application, tree) : undefined), [application, tree]);
  const revision = wantedRevision(whole);
  const { data: commit } = useQuery({ ...revisionQuery(namespace, name, revision), enabled: revision !== "" });
  const { data: links } = useQuery(linksQuery(namespace, name));
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-6">
      <Headline application={whole} tree={branch} />
      <OutwardLinks label="Links" links={links ?? []} />
      <Timeline application={whole} commit={commit} />
      <Conditions conditions={whole.status?.conditions ?? []} name={name} />
      {branch && <KindSummary namespace={namespace} name={name} tree={branch} />}
      {!branch && missing && (
        <p role="status" className="text-sm text-soft">
          What it is made of could not be read: {missing instanceof ApiError ? missing.message : String(missing)}
        </p>
      )}
      <Releases history={whole.status?.history ?? []} name={name} />
    </div>
  );
}
