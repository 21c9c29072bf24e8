export type SecretState = "well" | "wrong" | "waiting";
export type Kind = "SealedSecret" | "ExternalSecret";
export type Scope = "strict" | "namespace-wide" | "cluster-wide";

/** The public half of a sealing key. */
export interface SealingKey {
  name: string;
  fingerprint: string;
  madeAt: string;
  expiresAt: string;
  bits: number;
  active: boolean;
  newest: boolean;
  /** When it was put aside; empty where it never was. */
  exportedAt: string;
}

/** What brings a Secret, by the names of its keys; no value is ever told. */
export interface SecretRow {
  kind: Kind;
  group: string;
  namespace: string;
  name: string;
  state: SecretState;
  /** How it is, in one sentence. */
  said: string;
  message?: string;
  since?: string;
  createdAt?: string;
  secret: string;
  secretExists: boolean;
  keys: string[];
  /** Whether it may bring further keys, whose names only the store knows. */
  moreKeys: boolean;
  scope?: Scope;
  sealedWith?: string;
  store?: string;
  refreshedAt?: string;
  key?: (SealingKey & { known: true }) | { fingerprint: string; known: false };
}

export interface Use {
  kind: string;
  name: string;
  how: string;
  key?: string;
}

export interface SecretPage extends SecretRow {
  usedBy: Use[];
  /** Kinds that could not be looked at. */
  unseen: string[];
  application: { namespace: string; name: string } | null;
}

export interface SealingKeys {
  items: SealingKey[];
  /** Said while keys exist nowhere but in the cluster. */
  warning?: string;
  command?: string;
}

export interface Certificate {
  pem: string;
  fingerprint: string;
  bits: number;
  madeAt: string;
  expiresAt: string;
  expired: boolean;
}
