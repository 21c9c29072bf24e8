import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "@/api/settings";
import { Failed, Loading, NotThere } from "@/kit/state";
import { clustersQuery } from "../api";
import { clusterYaml } from "../model/documents";
import { IN_CLUSTER } from "../model/places";
import { Connection } from "../parts/connection";
import { Facts } from "../parts/facts";
import { YamlPanel } from "../parts/yaml-panel";

/** One cluster, by its address. */
export default function ClusterDrawer({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery(clustersQuery);
  const namespace = useQuery(settingsQuery).data?.controllerNamespace ?? "argocd";
  if (isPending) return <Loading sentence="The cluster is on its way." />;
  if (error) return <Failed error={error} what="The cluster" onRetry={() => void refetch()} />;
  const cluster = data.find((each) => each.server === id);
  if (!cluster) return <NotThere sentence={`There is no cluster at ${id}, or none that you may see.`} />;
  const labels = Object.entries(cluster.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return (
    <>
      <Facts
        facts={[
          ["Name", cluster.name],
          ["Address", cluster.server],
          ["Connection", <Connection key="state" state={cluster.connectionState} />],
          ["Only for project", cluster.project || "all projects"],
          ["Namespaces", cluster.namespaces?.join(", ") || "all"],
          ["Objects outside of namespaces", cluster.namespaces?.length && !cluster.clusterResources ? "no" : "yes"],
          ["Labels", labels.join(", ") || "none"],
          ["Applications", String(cluster.info?.applicationsCount ?? 0)],
        ]}
      />
      {cluster.server === IN_CLUSTER ? (
        <p className="mt-4 text-sm text-soft">
          This is the cluster that Plumbline itself is in. `cluster.inClusterEnabled: "false"` in argocd-cm closes it.
        </p>
      ) : (
        <YamlPanel what="this cluster" yaml={clusterYaml(cluster, namespace)} />
      )}
    </>
  );
}
