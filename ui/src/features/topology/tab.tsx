import { lazy, Suspense } from "react";
import type { ApplicationTabProps } from "@/app/feature";
import { useApplication } from "@/features/application/api";
import type { Application } from "@/features/applications/model/wire";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { useTree } from "./api";
import { TopologyBar } from "./bar";
import type { WireTree } from "./model/wire";
import { unseenOf } from "./model/words";
import { Outline } from "./outline/outline";
import { useTopology } from "./use-topology";

const Picture = lazy(() => import("./picture/picture"));

/** What the application is made of, down to the cloud: as a picture, or as an outline of the same. */
export default function TopologyTab({ namespace, name }: ApplicationTabProps) {
  const application = useApplication(namespace, name);
  const tree = useTree(namespace, name);
  const error = application.error ?? tree.error;
  if (error && !(application.data && tree.data)) {
    return <Failed error={error} what="The topology" onRetry={() => void tree.refetch()} />;
  }
  if (!application.data || !tree.data) return <Loading sentence={`The objects of ${name} are on their way.`} />;
  if (!tree.data.nodes?.length && !tree.data.orphanedNodes?.length) {
    return (
      <Empty
        sentence="There are no objects yet: nothing was synced, or Git has none."
        command={`plumb app sync ${name} --dry-run`}
      />
    );
  }
  return <Topology application={application.data} tree={tree.data} />;
}

function Topology({ application, tree }: { application: Application; tree: WireTree }) {
  const topology = useTopology(application, tree);
  const { root, search, change } = topology;
  return (
    <div className="flex h-full min-h-80 flex-col gap-2">
      <TopologyBar topology={topology} cut={tree.truncated === true} unseen={unseenOf(tree)} />
      {root.children.length === 0 ? (
        <NothingFound
          sentence="No object fits this filter."
          command={`plumb app resources ${application.metadata.name}`}
        >
          <button
            type="button"
            className="min-h-6 text-accent underline"
            onClick={() => change({ kinds: [], health: [], text: "" })}
          >
            Show everything
          </button>
        </NothingFound>
      ) : search.view === "outline" ? (
        <Outline topology={topology} />
      ) : (
        <Suspense fallback={<Loading sentence="The picture is on its way." />}>
          <Picture topology={topology} />
        </Suspense>
      )}
    </div>
  );
}
