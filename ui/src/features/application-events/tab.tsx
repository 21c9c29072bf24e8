import { useQueries, useQuery } from "@tanstack/react-query";
import { CircleCheck, TriangleAlert } from "lucide-react";
import type { ApplicationTabProps } from "@/app/feature";
import { useTabSearch } from "@/app/tab-search";
import { useApplication } from "@/features/application/api";
import { treeQuery } from "@/features/application-logs/api";
import { nodeTitle } from "@/features/application-logs/model/tree";
import { Ago } from "@/kit/ago";
import { Checkbox } from "@/kit/checkbox";
import { CopyMenu } from "@/kit/copy-menu";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { Empty, Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { eventsQuery } from "./api";
import { askedAbout, type EventRow, eventRows, eventSearch } from "./model/events";

const COLUMNS: TableColumn<EventRow>[] = [
  { accessorKey: "reason", header: "Reason" },
  {
    accessorKey: "warning",
    header: "Type",
    cell: ({ row }) =>
      row.original.warning ? (
        <StatusMark icon={TriangleAlert} colour="text-degraded" word="Warning" />
      ) : (
        <StatusMark icon={CircleCheck} colour="text-soft" word="Normal" />
      ),
  },
  { accessorKey: "object", header: "Object" },
  { accessorKey: "message", header: "Message" },
  { accessorKey: "count", header: "Times" },
  { accessorKey: "at", header: "Last seen", cell: ({ row }) => <Ago at={row.original.at} /> },
  { accessorKey: "by", header: "From" },
];

/** What Kubernetes tells of the application and of what is not healthy in it, or of one object. */
export default function EventsTab({ namespace, name }: ApplicationTabProps) {
  const [{ about, warnings }, setSearch] = useTabSearch(eventSearch);
  useApplication(namespace, name);
  const tree = useQuery(treeQuery(namespace, name));
  const nodes = tree.data?.nodes ?? [];
  const objects = askedAbout(nodes, about);
  const asked = [...(about ? [] : [undefined]), ...objects];
  const answers = useQueries({ queries: asked.map((each) => eventsQuery(namespace, name, each)) });
  const failed = answers.find((each) => each.error)?.error;
  const rows = eventRows(answers.flatMap((each) => each.data?.items ?? [])).filter((row) => !warnings || row.warning);

  if (failed && rows.length === 0) {
    return <Failed error={failed} what="The events" onRetry={() => answers.forEach((each) => void each.refetch())} />;
  }
  if (rows.length === 0 && answers.some((each) => each.isPending))
    return <Loading sentence="The events are on their way." />;
  return (
    <div className="flex flex-col gap-3">
      <search className="flex flex-wrap items-center gap-4">
        <select
          aria-label="About"
          className="h-9 max-w-96 rounded-md border border-edge bg-surface px-2 text-ink"
          value={about}
          onChange={(event) => setSearch({ about: event.currentTarget.value })}
        >
          <option value="">The application and what is not healthy</option>
          {nodes
            .filter((node) => node.uid)
            .map((node) => (
              <option key={node.uid} value={node.uid}>
                {nodeTitle(node)}
              </option>
            ))}
        </select>
        <Checkbox label="Only warnings" checked={warnings} onToggle={(on) => setSearch({ warnings: on })} />
        <span className="flex-1" />
        <CopyMenu command={`kubectl get events -A --field-selector involvedObject.name=${objects[0]?.name ?? name}`} />
      </search>
      {rows.length === 0 ? (
        <Empty
          sentence={warnings ? "There are no warnings." : "Nothing was told lately."}
          detail="Kubernetes forgets events after an hour, unless it was set up otherwise."
        />
      ) : (
        <DataTable caption={`Events of ${name}`} columns={COLUMNS} rows={rows} rowId={(row) => row.key} />
      )}
    </div>
  );
}
