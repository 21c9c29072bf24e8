export interface Resource {
  object?: { group?: string; kind: string; namespace?: string; name: string };
  cluster?: string;
  /** The type of what is outside of clusters. */
  external?: string;
  id?: string;
  pattern?: string;
  region?: string;
  account?: string;
}

export interface Owner {
  engine: string;
  name?: string;
  /** There is one, and whoever asks may not see which. */
  hidden?: boolean;
}

export interface Claim {
  owner: Owner;
  /** `declared` by its owner, or only left as a `trace`. */
  strength: string;
  place?: string;
  said?: string;
  since?: string;
  /** How this side gives the thing up without destroying it. */
  wayOut?: string;
}

export interface ChainLink {
  resource: Resource;
  owner: Owner | null;
  parent: Resource | null;
  claims?: Claim[];
}

export interface Explained {
  resource: Resource;
  owner: Owner | null;
  contested: boolean;
  chain: ChainLink[];
}

export interface Contested {
  resource: Resource;
  claims: Claim[];
}
