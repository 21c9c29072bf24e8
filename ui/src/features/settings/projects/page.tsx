import { useQuery } from "@tanstack/react-query";
import { CopyMenu } from "@/kit/copy-menu";
import { Failed, Loading } from "@/kit/state";
import { projectQuery } from "../api";
import { projectYaml } from "../model/documents";
import { destinationText, kindRules } from "../model/project";
import type { DetailedProject, ProjectSpec } from "../model/wire";
import { Part, Title } from "../parts/title";
import { YamlPanel } from "../parts/yaml-panel";
import { projectRoute } from "../routes";
import { Roles } from "./roles";
import { Windows } from "./windows";

export default function ProjectPage() {
  const { name } = projectRoute.useParams();
  const { data, error, isPending, refetch } = useQuery(projectQuery(name));
  if (isPending) return <Loading sentence={`The project ${name} is on its way.`} />;
  if (error) return <Failed error={error} what={`The project ${name}`} onRetry={() => void refetch()} />;
  const { project } = data;
  const spec = project.spec ?? {};
  return (
    <>
      <Title title={`Project ${name}`} about={spec.description || "It has no description."}>
        <CopyMenu command={`plumb proj get ${name}`} yaml={projectYaml(project)} />
      </Title>
      <Allowed spec={spec} />
      <Part title="Roles and their tokens">
        <Roles project={name} roles={spec.roles ?? []} onChanged={() => void refetch()} />
      </Part>
      <Part title="Sync windows">
        <Windows project={name} windows={spec.syncWindows ?? []} />
      </Part>
      <Registered detailed={data} />
      <YamlPanel what={`the project ${name}`} yaml={projectYaml(project)} />
    </>
  );
}

function Allowed({ spec }: { spec: ProjectSpec }) {
  return (
    <>
      <Part title="Sources">
        <Lines lines={spec.sourceRepos ?? []} none="No repository: its applications cannot be synced." />
      </Part>
      <Part title="Destinations">
        <Lines
          lines={(spec.destinations ?? []).map(destinationText)}
          none="No destination: its applications go nowhere."
        />
      </Part>
      <Part title="Kinds">
        <Lines lines={kindRules(spec)} none="" />
      </Part>
      {spec.sourceNamespaces && spec.sourceNamespaces.length > 0 && (
        <Part title="Namespaces in which its applications may be">
          <Lines lines={spec.sourceNamespaces} none="" />
        </Part>
      )}
    </>
  );
}

function Registered({
  detailed: { repositories = [], clusters = [], globalProjects = [] },
}: {
  detailed: DetailedProject;
}) {
  const lines = [
    ...repositories.map((each) => `Repository ${each.repo}`),
    ...clusters.map((each) => `Cluster ${each.name} at ${each.server}`),
    ...globalProjects.map((each) => `The rules of project ${each.metadata.name} count here too`),
  ];
  return (
    <Part title="Only for this project">
      <Lines lines={lines} none="Nothing is registered for it alone." />
    </Part>
  );
}

function Lines({ lines, none }: { lines: readonly string[]; none: string }) {
  if (lines.length === 0) return <p className="text-sm text-soft">{none}</p>;
  return (
    <ul className="flex flex-col gap-0.5 text-sm">
      {lines.map((line) => (
        <li key={line} className="break-words">
          {line}
        </li>
      ))}
    </ul>
  );
}
