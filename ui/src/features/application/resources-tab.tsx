import type { ApplicationTabProps } from "@/app/feature";
import type { ResourceState } from "@/features/applications/model/wire";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { syncOf } from "@/kit/model/status";
import { Empty, Failed, Loading } from "@/kit/state";
import { SyncStatus } from "@/kit/status";
import { useApplication } from "./api";

const COLUMNS: TableColumn<ResourceState>[] = [
  { accessorKey: "name", header: "Name" },
  { accessorKey: "kind", header: "Kind" },
  { accessorKey: "namespace", header: "Namespace" },
  { accessorKey: "status", header: "Sync", cell: ({ row }) => <SyncStatus status={syncOf(row.original.status)} /> },
];

/** Everything that the application keeps, as a list. */
export default function ResourcesTab({ namespace, name }: ApplicationTabProps) {
  const { data, error, isPending, refetch } = useApplication(namespace, name);
  if (isPending) return <Loading sentence="The objects are on their way." />;
  if (error) return <Failed error={error} what="The objects" onRetry={() => void refetch()} />;
  const resources = data.status?.resources ?? [];
  if (resources.length === 0) {
    return (
      <Empty sentence="Git has no objects for this application yet." command={`plumb app sync ${name} --dry-run`} />
    );
  }
  return (
    <DataTable
      caption={`Objects of ${name}`}
      columns={COLUMNS}
      rows={resources}
      rowId={(each) => [each.group, each.kind, each.namespace, each.name].join("/")}
    />
  );
}
