import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CopyMenu } from "@/kit/copy-menu";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { Empty, Failed, Loading } from "@/kit/state";
import { projectsQuery } from "../api";
import { projectYaml } from "../model/documents";
import type { Project } from "../model/wire";
import { Title } from "../parts/title";
import { YamlPanel } from "../parts/yaml-panel";

const COLUMNS: TableColumn<Project>[] = [
  {
    id: "name",
    header: "Name",
    accessorFn: (each) => each.metadata.name,
    cell: ({ row }) => <NameCell name={row.original.metadata.name} />,
  },
  { id: "about", header: "Description", accessorFn: (each) => each.spec?.description ?? "" },
  { id: "sources", header: "Sources", accessorFn: (each) => each.spec?.sourceRepos?.length ?? 0 },
  { id: "destinations", header: "Destinations", accessorFn: (each) => each.spec?.destinations?.length ?? 0 },
  { id: "roles", header: "Roles", accessorFn: (each) => each.spec?.roles?.length ?? 0 },
  { id: "windows", header: "Windows", accessorFn: (each) => each.spec?.syncWindows?.length ?? 0 },
];

export default function ProjectsPage() {
  const { data, error, isPending, refetch } = useQuery(projectsQuery);
  if (isPending) return <Loading sentence="The projects are on their way." />;
  if (error) return <Failed error={error} what="The projects" onRetry={() => void refetch()} />;
  return (
    <>
      <Title title="Projects" about="What groups of applications may use, and who may do something with them.">
        <CopyMenu command="plumb proj list" />
      </Title>
      {data.length === 0 ? (
        <Empty sentence="There is no project that you may see." command="plumb account can-i get projects '*'" />
      ) : (
        <>
          <DataTable caption="Projects" columns={COLUMNS} rows={data} rowId={(each) => each.metadata.name} />
          <YamlPanel what="the projects" yaml={data.map(projectYaml).join("---\n")} />
        </>
      )}
    </>
  );
}

function NameCell({ name }: { name: string }) {
  return (
    <Link to="/settings/projects/$name" params={{ name }} className="inline-flex min-h-6 items-center underline">
      {name}
    </Link>
  );
}
