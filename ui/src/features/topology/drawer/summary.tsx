import type { ReactNode } from "react";
import { Ago } from "@/kit/ago";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { type OutwardLink, OutwardLinks } from "@/kit/links";
import { type Condition, conditionsOf, labelsOf } from "../model/manifest";
import type { Resource } from "../model/resource";

const COLUMNS: TableColumn<Condition>[] = [
  { accessorKey: "type", header: "Condition" },
  { accessorKey: "status", header: "Status" },
  { accessorKey: "reason", header: "Reason" },
  { accessorKey: "message", header: "Message" },
  { accessorKey: "since", header: "Since", cell: ({ row }) => <Ago at={row.original.since} /> },
];

interface SummaryProps {
  resource: Resource;
  manifest: Record<string, unknown> | undefined;
  /** Those that the settings put beside objects of its kind. */
  links: readonly OutwardLink[];
}

/** What it is, how it fares, and where it can be reached. */
export function Summary({ resource, manifest, links }: SummaryProps) {
  const conditions = conditionsOf(manifest);
  return (
    <div className="flex flex-col gap-4 text-sm">
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5">
        <Fact name="Kind">{[resource.kind, resource.group].filter(Boolean).join(" · ")}</Fact>
        {resource.namespace && <Fact name="Namespace">{resource.namespace}</Fact>}
        {resource.createdAt && (
          <Fact name="Created">
            <Ago at={resource.createdAt} />
          </Fact>
        )}
        {resource.orphaned && <Fact name="In Git">No: it is in the namespace, and nobody's</Fact>}
        {resource.facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {resource.images.length > 0 && <Fact name="Images">{resource.images.join(", ")}</Fact>}
        {labelsOf(manifest).length > 0 && (
          <Fact name="Labels">
            {labelsOf(manifest)
              .map(([name, value]) => `${name}=${value}`)
              .join("  ")}
          </Fact>
        )}
      </dl>
      <OutwardLinks label="Links" links={[...resource.urls.map((url) => ({ title: url, url })), ...links]} />
      {conditions.length > 0 && (
        <DataTable caption="Conditions" columns={COLUMNS} rows={conditions} rowId={(each) => each.type} />
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
