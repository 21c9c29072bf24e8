/** What the server tells of settings; all of it may be missing, for what is empty is left out. */
export interface ConnectionState {
  status?: string;
  message?: string;
  attemptedAt?: string | null;
}

export interface Repository {
  repo: string;
  type?: string;
  name?: string;
  project?: string;
  insecure?: boolean;
  enableLfs?: boolean;
  enableOCI?: boolean;
  inheritedCreds?: boolean;
  proxy?: string;
  noProxy?: string;
  githubAppID?: number;
  githubAppInstallationID?: number;
  connectionState?: ConnectionState;
}

export interface Cluster {
  server: string;
  name: string;
  project?: string;
  namespaces?: string[];
  clusterResources?: boolean;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  connectionState?: ConnectionState;
  info?: { applicationsCount?: number };
}

export interface Token {
  id?: string;
  iat?: number;
  exp?: number;
}

export interface Role {
  name: string;
  description?: string;
  policies?: string[];
  groups?: string[];
  jwtTokens?: Token[];
}

export interface KindRule {
  group?: string;
  kind?: string;
}

export interface SyncWindow {
  kind?: string;
  schedule?: string;
  duration?: string;
  timeZone?: string;
  applications?: string[];
  namespaces?: string[];
  clusters?: string[];
  manualSync?: boolean;
  description?: string;
}

export interface ProjectSpec {
  description?: string;
  sourceRepos?: string[];
  sourceNamespaces?: string[];
  destinations?: { server?: string; name?: string; namespace?: string }[];
  clusterResourceWhitelist?: KindRule[];
  clusterResourceBlacklist?: KindRule[];
  namespaceResourceWhitelist?: KindRule[];
  namespaceResourceBlacklist?: KindRule[];
  roles?: Role[];
  syncWindows?: SyncWindow[];
  orphanedResources?: object;
  [other: string]: unknown;
}

export interface Project {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: ProjectSpec;
}

export interface DetailedProject {
  project: Project;
  globalProjects?: Project[];
  repositories?: Repository[];
  clusters?: Cluster[];
}

export interface AccountToken {
  id: string;
  issuedAt?: number;
  expiresAt?: number;
}

export interface Account {
  name: string;
  enabled?: boolean;
  capabilities?: string[];
  tokens?: AccountToken[];
}

export interface Verdict {
  value: string;
  line?: string;
  why?: string;
}

export interface List<T> {
  items?: T[] | null;
}

export type Version = Record<string, string>;
