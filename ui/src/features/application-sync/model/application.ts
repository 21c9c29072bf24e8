import type { Application, ApplicationSource } from "@/features/applications/model/wire";

export interface ResourceResult {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  /** Synced, SyncFailed, Pruned, PruneSkipped; empty while it waits. */
  status?: string;
  message?: string;
  hookType?: string;
  hookPhase?: string;
  syncPhase?: string;
}

export interface OperationState {
  phase?: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  retryCount?: number;
  operation?: {
    sync?: { prune?: boolean; dryRun?: boolean; revision?: string; syncOptions?: string[] };
    initiatedBy?: { username?: string; automated?: boolean };
  };
  syncResult?: { revision?: string; revisions?: string[]; resources?: ResourceResult[] };
}

export interface HistoryEntry {
  id?: number;
  revision?: string;
  revisions?: string[];
  deployedAt?: string;
  source?: ApplicationSource;
  sources?: ApplicationSource[];
}

/** An application with what its own page reads of it. */
export interface OneApplication extends Application {
  metadata: Application["metadata"] & { annotations?: Record<string, string>; finalizers?: string[] };
  status?: NonNullable<Application["status"]> & {
    operationState?: OperationState;
    history?: HistoryEntry[];
    reconciledAt?: string;
  };
}

interface Automated {
  enabled?: boolean;
  prune?: boolean;
  selfHeal?: boolean;
}

const policyOf = ({ spec }: Application) =>
  (spec?.syncPolicy ?? {}) as { automated?: Automated | null; syncOptions?: string[] };

export const automatedOf = (application: Application): Automated | undefined =>
  policyOf(application).automated ?? undefined;

/** Whether it is synced without being asked for. */
export function automatic(application: Application): boolean {
  const automated = automatedOf(application);
  return automated !== undefined && automated.enabled !== false;
}

export const ownOptions = (application: Application): readonly string[] => policyOf(application).syncOptions ?? [];

const UNDER_WAY = ["Running", "Terminating"];

export const underWay = (application: OneApplication): boolean =>
  application.operation != null || UNDER_WAY.includes(application.status?.operationState?.phase ?? "");

/** Why automated syncs were turned off or on, by whom and when: kept on the application, where everybody sees it. */
export const NOTE = "plumbline.dev/auto-sync-note";

export interface AutoSyncNote {
  reason: string;
  by: string;
  at: string;
}

export function noteOf(application: OneApplication): AutoSyncNote | undefined {
  try {
    const { reason, by, at } = JSON.parse(application.metadata.annotations?.[NOTE] ?? "") as Partial<AutoSyncNote>;
    return typeof reason === "string" ? { reason, by: String(by ?? ""), at: String(at ?? "") } : undefined;
  } catch {
    return undefined;
  }
}

/** The merge patch that turns automated syncs on or off and keeps how they were set up. */
export function autoSyncPatch(on: boolean, note: AutoSyncNote): object {
  return {
    metadata: { annotations: { [NOTE]: JSON.stringify(note) } },
    spec: { syncPolicy: { automated: { enabled: on } } },
  };
}
