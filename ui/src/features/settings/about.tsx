import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionQuery } from "@/api/session";
import { settingsQuery } from "@/api/settings";
import { CopyMenu } from "@/kit/copy-menu";
import { yamlOf } from "@/kit/model/yaml";
import { Failed, Loading } from "@/kit/state";
import { versionQuery } from "./api";
import { Facts } from "./parts/facts";
import { Part, Title } from "./parts/title";

const NAMES: Readonly<Record<string, string>> = {
  Version: "Version",
  Platform: "System",
  Compiler: "Runs on",
  GoVersion: "Language",
  HelmVersion: "Helm",
  KustomizeVersion: "Kustomize",
};

export default function AboutPage() {
  const { data, error, isPending, refetch } = useQuery(versionQuery);
  const session = useQuery(sessionQuery).data;
  const settings = useQuery(settingsQuery).data;
  if (isPending) return <Loading sentence="The version is on its way." />;
  if (error) return <Failed error={error} what="The version" onRetry={() => void refetch()} />;
  const versions = Object.entries(data).map(([key, value]) => [NAMES[key] ?? key, value] as const);
  return (
    <>
      <Title title="About" about="Plumbline keeps clusters, clouds and Git in line. No account, no telemetry.">
        <CopyMenu command="plumb version" yaml={yamlOf(data)} />
      </Title>
      <Part title="This installation">
        <Facts
          facts={[
            ...versions,
            ["Namespace", settings?.controllerNamespace ?? "argocd"],
            ["Address", settings?.url ?? "not set; `url` in argocd-cm"],
            ["You are", [session?.username, ...(session?.groups ?? [])].filter(Boolean).join(", ")],
          ]}
        />
      </Part>
      <Part title="What is simulated">
        <p className="max-w-3xl text-sm">
          Under `plumb up` there are no machines: pods run on a simulated node, and clouds that nobody gave credentials
          for are simulated too. Whatever is not real carries the annotation plumbline.dev/simulated, which says what is
          not real about it. On a cluster of yours nothing is.
        </p>
        <p className="mt-1 text-sm">
          <Link to="/applications" className="inline-flex min-h-6 items-center underline">
            See what runs
          </Link>
        </p>
      </Part>
    </>
  );
}
