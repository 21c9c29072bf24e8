import { yamlOf } from "@/kit/model/yaml";
import type { Account, Cluster, Project, Repository } from "./wire";

const SECRET_TYPE = "argocd.argoproj.io/secret-type";
const UNTOLD = "# What opens it is never shown: add it, sealed, before this goes into Git.\n";

/** The Secret that registers a repository, without what opens it. */
export function repositoryYaml(repository: Repository, namespace: string): string {
  const { connectionState: _, inheritedCreds, repo, ...others } = repository;
  const entries = Object.entries(others).filter(([, value]) => value !== undefined && value !== "");
  const said = Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
  return `${inheritedCreds ? "" : UNTOLD}${secret(namespace, nameFrom(repo), "repository", { url: repo, ...said })}`;
}

/** The Secret that registers a cluster. The one at hand needs none. */
export function clusterYaml(cluster: Cluster, namespace: string): string {
  const data = {
    name: cluster.name,
    server: cluster.server,
    ...(cluster.project ? { project: cluster.project } : {}),
    ...(cluster.namespaces?.length ? { namespaces: cluster.namespaces.join(",") } : {}),
    ...(cluster.clusterResources ? { clusterResources: "true" } : {}),
  };
  return `${UNTOLD}${secret(namespace, nameFrom(cluster.name || cluster.server), "cluster", data, cluster.labels)}`;
}

function secret(namespace: string, name: string, type: string, data: object, labels: object = {}): string {
  return yamlOf({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { ...labels, [SECRET_TYPE]: type } },
    stringData: data,
  });
}

/** As Git has it: without what only the server writes, and without the record of tokens. */
export function projectYaml({ metadata, spec = {} }: Project): string {
  const { name, namespace, labels, annotations } = metadata;
  const roles = spec.roles?.map(({ jwtTokens: _, ...role }) => role);
  return yamlOf({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name, namespace, labels, annotations },
    spec: { ...spec, ...(roles ? { roles } : {}) },
  });
}

/** The entries of argocd-cm that make accounts. `admin` is there unless it is switched off. */
export function accountsYaml(accounts: readonly Account[], namespace: string): string {
  const entries = accounts.flatMap((account): [string, string][] => {
    if (account.name === "admin") return account.enabled ? [] : [["admin.enabled", "false"]];
    const able: [string, string] = [`accounts.${account.name}`, (account.capabilities ?? []).join(", ")];
    return account.enabled ? [able] : [able, [`accounts.${account.name}.enabled`, "false"]];
  });
  return yamlOf({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cm", namespace },
    data: Object.fromEntries(entries),
  });
}

/** A name that Kubernetes takes, made of an address. */
export function nameFrom(address: string): string {
  const words = address.replace(/^[a-z+]+:\/\//i, "").toLowerCase();
  return (
    words
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "unnamed"
  );
}
