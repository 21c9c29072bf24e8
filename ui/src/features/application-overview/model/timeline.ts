import { shortened } from "./version";
import type { Deployed, RevisionMetadata, WholeApplication } from "./wire";

export type MomentState = "done" | "running" | "failed" | "waiting";

/** A step from a change in Git to what people have of it. */
export interface Moment {
  step: "Change" | "Rollout" | "Health";
  title: string;
  detail: string;
  /** When it came to be so. */
  at: string;
  state: MomentState;
}

/** Change, rollout, health: how far the newest revision has come. */
export function timeline(app: WholeApplication, commit: RevisionMetadata | undefined): Moment[] {
  return [change(app, commit), rollout(app), health(app)];
}

/** The revision that is asked for: the one being rolled out, or the one compared with. */
export function wantedRevision({ status = {} }: WholeApplication): string {
  const { operationState, sync } = status;
  if (operationState?.phase === "Running" && operationState.syncResult?.revision)
    return operationState.syncResult.revision;
  return sync?.revision || sync?.revisions?.[0] || "";
}

function change(app: WholeApplication, commit: RevisionMetadata | undefined): Moment {
  const revision = shortened(wantedRevision(app));
  const first = commit?.message?.split("\n")[0] ?? "";
  return {
    step: "Change",
    title: [revision, first].filter(Boolean).join(" · ") || "Git was not read yet",
    detail: commit?.author ? `by ${commit.author.replace(/ <.*>$/, "")}` : "",
    at: commit?.date ?? "",
    state: revision ? "done" : "waiting",
  };
}

const PHASES: Record<string, [title: string, state: MomentState]> = {
  Running: ["Being rolled out", "running"],
  Terminating: ["Being stopped", "running"],
  Succeeded: ["Rolled out", "done"],
  Failed: ["The sync failed", "failed"],
  Error: ["The sync failed", "failed"],
};

function rollout(app: WholeApplication): Moment {
  const { status = {}, spec = {} } = app;
  const last = status.operationState;
  if (
    status.sync?.status === "OutOfSync" &&
    last?.phase !== "Running" &&
    last?.phase !== "Failed" &&
    last?.phase !== "Error"
  ) {
    const next = spec.syncPolicy?.automated ? "It is synced by itself" : "Somebody has to sync it: auto-sync is off";
    return { step: "Rollout", title: "Not rolled out", detail: next, at: "", state: "waiting" };
  }
  const [title, state] = PHASES[last?.phase ?? ""] ?? ["Nothing was rolled out yet", "waiting" as const];
  const took = duration(last?.startedAt, last?.finishedAt);
  const by = actor(last?.operation?.initiatedBy);
  const worked = state === "done";
  return {
    step: "Rollout",
    title: took && worked ? `${title} in ${took}` : title,
    detail: [by, worked ? "" : (last?.message ?? "")].filter(Boolean).join(" · "),
    at: last?.finishedAt || last?.startedAt || "",
    state,
  };
}

const HEALTHS: Record<string, [title: string, state: MomentState]> = {
  Healthy: ["Healthy", "done"],
  Progressing: ["Not ready yet", "running"],
  Degraded: ["Degraded", "failed"],
  Missing: ["Something is missing", "failed"],
  Suspended: ["Suspended", "waiting"],
};

function health({ status = {} }: WholeApplication): Moment {
  const [title, state] = HEALTHS[status.health?.status ?? ""] ?? ["Not known yet", "waiting" as const];
  const at = status.health?.lastTransitionTime ?? "";
  return { step: "Health", title, detail: status.health?.message ?? "", at, state };
}

/** `42 s`, `3 min`; empty where either end is not known. */
export function duration(from: string | undefined, to: string | undefined): string {
  const seconds = Math.round((Date.parse(to ?? "") - Date.parse(from ?? "")) / 1000);
  if (Number.isNaN(seconds) || seconds < 0) return "";
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function actor(by: { username?: string; automated?: boolean } | undefined): string {
  if (by?.username) return `by ${by.username}`;
  return by?.automated ? "by auto-sync" : "";
}

export interface Release {
  id: number;
  revision: string;
  at: string;
  took: string;
  by: string;
}

/** What was live before, the newest first. */
export function releases(history: readonly Deployed[], most: number): Release[] {
  return history
    .slice(-most)
    .reverse()
    .map((each, place) => ({
      id: each.id ?? place,
      revision: shortened(each.revision || each.revisions?.[0] || ""),
      at: each.deployedAt ?? "",
      took: duration(each.deployStartedAt, each.deployedAt),
      by: actor(each.initiatedBy),
    }));
}
