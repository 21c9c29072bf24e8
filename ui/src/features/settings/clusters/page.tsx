import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { settingsQuery } from "@/api/settings";
import { useGo } from "@/app/go";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { Empty, Failed, Loading } from "@/kit/state";
import { clustersQuery } from "../api";
import { clusterYaml } from "../model/documents";
import { IN_CLUSTER } from "../model/places";
import type { Cluster } from "../model/wire";
import { Connection } from "../parts/connection";
import { Title } from "../parts/title";
import { YamlPanel } from "../parts/yaml-panel";

const COLUMNS: TableColumn<Cluster>[] = [
  { accessorKey: "name", header: "Name", cell: ({ row }) => <NameCell cluster={row.original} /> },
  {
    accessorKey: "server",
    header: "Address",
    cell: ({ row }) => <span className="break-all">{row.original.server}</span>,
  },
  { id: "project", header: "Project", accessorFn: (each) => each.project || "all" },
  {
    id: "applications",
    header: "Applications",
    accessorFn: (each) => each.info?.applicationsCount ?? 0,
    cell: ({ row }) => <ApplicationsCell cluster={row.original} />,
  },
  {
    id: "connection",
    header: "Connection",
    accessorFn: (each) => each.connectionState?.status ?? "",
    cell: ({ row }) => <Connection state={row.original.connectionState} />,
  },
];

export default function ClustersPage() {
  const { data, error, isPending, refetch } = useQuery(clustersQuery);
  const namespace = useQuery(settingsQuery).data?.controllerNamespace ?? "argocd";
  if (isPending) return <Loading sentence="The clusters are on their way." />;
  if (error) return <Failed error={error} what="The clusters" onRetry={() => void refetch()} />;
  const registered = data.filter((each) => each.server !== IN_CLUSTER);
  return (
    <>
      <Title title="Clusters" about="Where applications may be deployed to. How one gets there is never told.">
        <CopyMenu />
      </Title>
      {data.length === 0 ? (
        <Empty sentence="There is no cluster that you may see." command="plumb account can-i get clusters '*'" />
      ) : (
        <DataTable caption="Clusters" columns={COLUMNS} rows={data} rowId={(each) => each.server} />
      )}
      {registered.length > 0 ? (
        <YamlPanel what="the clusters" yaml={registered.map((each) => clusterYaml(each, namespace)).join("---\n")} />
      ) : (
        <p className="mt-3 text-sm text-soft">
          Others are registered by Secrets with the label argocd.argoproj.io/secret-type: cluster.
        </p>
      )}
    </>
  );
}

function NameCell({ cluster }: { cluster: Cluster }) {
  const go = useGo();
  return (
    <Button look="quiet" className="px-0 underline" onClick={() => go.drawer("cluster", cluster.server)}>
      {cluster.name || cluster.server}
      {cluster.server === IN_CLUSTER && <span className="font-normal text-soft">(this one)</span>}
    </Button>
  );
}

function ApplicationsCell({ cluster }: { cluster: Cluster }) {
  return (
    <Link
      to="/applications"
      search={{ q: `cluster:${cluster.name}` }}
      className="inline-flex min-h-6 items-center underline"
    >
      {cluster.info?.applicationsCount ?? 0}
      <span className="sr-only"> applications in {cluster.name}</span>
    </Link>
  );
}
