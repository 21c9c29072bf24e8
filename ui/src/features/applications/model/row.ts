import { type Health, healthOf, type Sync, syncOf } from "@/kit/model/status";
import type { Application, ApplicationSource } from "./wire";

/** An application as a list shows it. */
export interface Row {
  /** NAMESPACE/NAME: names alone are not unique. */
  key: string;
  name: string;
  namespace: string;
  project: string;
  /** Name or address of the destination. */
  cluster: string;
  into: string;
  health: Health;
  healthMessage: string;
  sync: Sync;
  revision: string;
  source: string;
  automated: boolean;
  phase: string;
  syncedAt: string;
  deleting: boolean;
}

export const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

const HERE = "https://kubernetes.default.svc";

export function rowOf(application: Application): Row {
  const { metadata, spec = {}, status = {} } = application;
  const namespace = metadata.namespace ?? "";
  const destination = spec.destination ?? {};
  return {
    key: keyOf(namespace, metadata.name),
    name: metadata.name,
    namespace,
    project: spec.project || "default",
    cluster: destination.name || (destination.server === HERE ? "in-cluster" : (destination.server ?? "")),
    into: destination.namespace ?? "",
    health: healthOf(status.health?.status),
    healthMessage: status.health?.message ?? "",
    sync: syncOf(status.sync?.status),
    revision: shortRevision(status.sync?.revision ?? status.sync?.revisions?.[0] ?? ""),
    source: sourceText(spec.source ?? spec.sources?.[0]),
    automated: spec.syncPolicy?.automated != null,
    phase: status.operationState?.phase ?? "",
    syncedAt: status.operationState?.finishedAt ?? "",
    deleting: Boolean(metadata.deletionTimestamp),
  };
}

function shortRevision(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;
}

/** `shop-deploy/overlays/prod`: the last part of the repository and what is taken from it. */
export function sourceText(source: ApplicationSource | undefined): string {
  if (!source) return "";
  const repository = (source.repoURL ?? "").replace(/\.git$/, "").replace(/\/$/, "");
  const name = repository.slice(Math.max(repository.lastIndexOf("/"), repository.lastIndexOf(":")) + 1);
  return [name, source.chart || source.path].filter((part) => part && part !== ".").join("/");
}
