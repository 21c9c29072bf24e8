import type { Application, ApplicationSource, ResourceState } from "@/features/applications/model/wire";

interface Initiator {
  username?: string;
  automated?: boolean;
}

export interface Deployed {
  id?: number;
  revision?: string;
  revisions?: string[];
  deployedAt?: string;
  deployStartedAt?: string;
  initiatedBy?: Initiator;
  source?: ApplicationSource;
  sources?: ApplicationSource[];
}

export interface WireCondition {
  type?: string;
  message?: string;
  lastTransitionTime?: string;
}

interface Operation {
  phase?: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  retryCount?: number;
  operation?: { initiatedBy?: Initiator };
  syncResult?: { revision?: string; revisions?: string[]; resources?: { status?: string; message?: string }[] };
}

/** An application as its own page reads it: with what was done and what is wrong. */
export interface WholeApplication extends Omit<Application, "status"> {
  status?: Omit<NonNullable<Application["status"]>, "operationState" | "resources"> & {
    operationState?: Operation;
    resources?: (ResourceState & { health?: { status?: string; message?: string }; hook?: boolean })[];
    history?: Deployed[];
    conditions?: WireCondition[];
    reconciledAt?: string;
    summary?: { images?: string[]; externalURLs?: string[] };
  };
}

/** What a commit is. */
export interface RevisionMetadata {
  author?: string;
  date?: string;
  message?: string;
  tags?: string[];
}
