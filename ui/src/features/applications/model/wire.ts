/** What the API says of applications, as far as lists read it. All of it may be absent in objects that people wrote. */
export interface ApplicationSource {
  repoURL?: string;
  path?: string;
  chart?: string;
  targetRevision?: string;
}

export interface ResourceState {
  group?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  status?: string;
  requiresPruning?: boolean;
}

export interface Application {
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    labels?: Record<string, string>;
    creationTimestamp?: string;
    deletionTimestamp?: string;
  };
  spec?: {
    project?: string;
    destination?: { server?: string; name?: string; namespace?: string };
    source?: ApplicationSource;
    sources?: ApplicationSource[];
    syncPolicy?: { automated?: object | null };
  };
  status?: {
    health?: { status?: string; message?: string; lastTransitionTime?: string };
    sync?: { status?: string; revision?: string; revisions?: string[] };
    operationState?: { phase?: string; message?: string; startedAt?: string; finishedAt?: string };
    resources?: ResourceState[];
  };
  operation?: object;
}

export const FACETS = ["health", "sync", "project", "cluster"] as const;
export type Facet = (typeof FACETS)[number];
export type Counts = Record<Facet, Record<string, number>> & { total: number };

export interface ApplicationList {
  metadata: { resourceVersion?: string };
  items: Application[] | null;
  counts?: Partial<Counts>;
  next?: number;
  stale?: string;
}
