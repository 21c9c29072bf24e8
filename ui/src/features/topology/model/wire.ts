/** What the API says of the objects of an application: Argo CD's `ApplicationTree`, `ResourceAction` and `Event`. */
export interface WireRef {
  group?: string;
  version?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
}

export interface WireNode extends WireRef {
  parentRefs?: WireRef[];
  info?: { name: string; value?: string }[];
  images?: string[];
  health?: { status?: string; message?: string };
  createdAt?: string;
  networkingInfo?: { externalURLs?: string[]; labels?: Record<string, string> };
}

export interface WireTree {
  nodes?: WireNode[] | null;
  orphanedNodes?: WireNode[] | null;
  /** Ours: there is more than is told. */
  truncated?: boolean;
  /** Ours: kinds that could not be listed. */
  unseen?: { kind: string; namespace?: string; why: string }[];
}

export interface WireAction {
  name: string;
  displayName?: string;
  disabled?: boolean;
  params?: { name: string }[];
}

export interface WireEvent {
  metadata?: { name?: string; uid?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  source?: { component?: string };
  reportingComponent?: string;
}
