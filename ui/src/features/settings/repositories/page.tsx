import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { settingsQuery } from "@/api/settings";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Empty, Failed, Loading } from "@/kit/state";
import { forgetRepository, repositoriesQuery } from "../api";
import { repositoryYaml } from "../model/documents";
import type { Repository } from "../model/wire";
import { Confirm } from "../parts/confirm";
import { Connection } from "../parts/connection";
import { Title } from "../parts/title";
import { YamlPanel } from "../parts/yaml-panel";
import { RepositoryDialog } from "./dialog";

type Open = { kind: "edit"; repository?: Repository } | { kind: "forget"; repository: Repository };

export default function RepositoriesPage() {
  const { data, error, isPending, refetch } = useQuery(repositoriesQuery);
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    void refetch();
  };
  return (
    <>
      <Title title="Repositories" about="Where sources come from. What opens them goes in and never out.">
        <Button icon={Plus} look="primary" onClick={() => setOpen({ kind: "edit" })}>
          Connect a repository
        </Button>
        <CopyMenu command="plumb repo list" />
      </Title>
      {isPending && <Loading sentence="The repositories are on their way." />}
      {error && <Failed error={error} what="The repositories" onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty
          sentence="No repository is registered, or none that you may see."
          detail="Public ones need not be: an application names them and that is enough."
          command="plumb repo add --help"
        />
      )}
      {data && data.length > 0 && <RepositoryTable repositories={data} onOpen={setOpen} />}
      {open?.kind === "edit" && <RepositoryDialog known={open.repository} onClose={close} />}
      {open?.kind === "forget" && <Forget repository={open.repository} onClose={close} />}
    </>
  );
}

function RepositoryTable(props: { repositories: Repository[]; onOpen: (open: Open) => void }) {
  const namespace = useQuery(settingsQuery).data?.controllerNamespace ?? "argocd";
  const { repositories, onOpen } = props;
  return (
    <>
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">Repositories</caption>
        <thead>
          <tr className="border-line border-b text-soft">
            {["Address", "Type", "Project", "Credentials", "Connection", ""].map((title) => (
              <th key={title} scope="col" className="px-2 py-1.5 font-medium">
                {title || <span className="sr-only">What can be done</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {repositories.map((each) => (
            <tr key={`${each.project ?? ""} ${each.repo}`} className="border-line border-b align-top">
              <th scope="row" className="break-all px-2 py-1.5 font-medium">
                {each.repo}
                {each.name && <span className="block font-normal text-soft">{each.name}</span>}
              </th>
              <td className="px-2 py-1.5">{each.type ?? "git"}</td>
              <td className="px-2 py-1.5">{each.project || "all"}</td>
              <td className="px-2 py-1.5">{each.inheritedCreds ? "none of its own" : "its own"}</td>
              <td className="px-2 py-1.5">
                <Connection state={each.connectionState} />
              </td>
              <td className="whitespace-nowrap px-2 py-1">
                <Button look="quiet" onClick={() => onOpen({ kind: "edit", repository: each })}>
                  Edit<span className="sr-only"> {each.repo}</span>
                </Button>
                <Button look="quiet" onClick={() => onOpen({ kind: "forget", repository: each })}>
                  Forget<span className="sr-only"> {each.repo}</span>
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <YamlPanel
        what="the repositories"
        yaml={repositories.map((each) => repositoryYaml(each, namespace)).join("---\n")}
      />
    </>
  );
}

function Forget({ repository, onClose }: { repository: Repository; onClose: () => void }) {
  const queryClient = useQueryClient();
  const run = async () => {
    await forgetRepository(repository);
    await queryClient.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
  };
  return (
    <Confirm title="Forget this repository?" verb="Forget it" run={run} onClose={onClose}>
      <p className="break-all">
        <strong>{repository.repo}</strong>
      </p>
      <p>Applications that name it stay as they are. What opens it is deleted, and cannot be brought back from here.</p>
    </Confirm>
  );
}
