export type ClaimState = "well" | "waiting" | "wrong";

/** A claim, or a composite that nobody claimed, as lists have it. */
export interface Claim {
  group: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  state: ClaimState;
  ready?: string;
  synced?: string;
  reason?: string;
  /** What the deepest part says. */
  message?: string;
  since?: string;
  createdAt?: string;
  deletedAt?: string;
  paused?: boolean;
  /** What is not real about it. */
  simulated?: string;
  composition?: string;
  composite?: string;
  providers?: string[];
  parts?: number;
}

export interface ClaimEvent {
  type?: string | null;
  reason?: string | null;
  message?: string | null;
  lastTimestamp?: string | null;
  count?: number | null;
}

export interface ClaimPage extends Claim {
  object: Record<string, unknown>;
  connectionSecret: string;
  application: { namespace: string; name: string } | null;
  events: ClaimEvent[];
  /** Why nobody knows what happened to it. */
  eventsUnread?: string;
}

/** Why something is not there to be read. */
export type Presence = "present" | "missing" | "forbidden" | "unreadable";
/** Why nothing is below: it never has parts, has none yet, has none at all, or they are not for us to see. */
export type Parts = "present" | "loading" | "empty" | "forbidden" | "none";

export interface Place {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

export interface TreeNode extends Place {
  id: number;
  parent?: number;
  parts: Parts;
  version?: string;
  role: "claim" | "composite" | "managed" | "object";
  presence: Presence;
  why?: string;
  state: ClaimState;
  synced?: string;
  ready?: string;
  reason?: string;
  message?: string;
  since?: string;
  createdAt?: string;
  deletedAt?: string;
  resourceName?: string;
  externalName?: string;
  provider?: string;
  providerConfig?: string;
  console?: string;
  drift?: string;
  changedAt?: string;
  paused?: boolean;
  /** What is not real about it. */
  simulated?: string;
}

export interface Cause {
  said: string;
  reason: string;
  message: string;
  since?: string;
  path: Place[];
  /** Whose turn it is. */
  turn: string;
  next: string;
  commands: string[];
}

export interface Tree {
  sentence: string;
  nodes: TreeNode[];
  /** Nodes that were left out. */
  more?: number;
  cause?: Cause;
}

export interface Definition {
  name: string;
  group: string;
  kind: string;
  connectionKeys?: string[];
}
