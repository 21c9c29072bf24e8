export interface Thing {
  cluster?: string;
  group?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  /** Of what is outside of every cluster. */
  provider?: string;
  id?: string;
}

export interface Entry {
  id: string;
  at: string;
  kind: string;
  verb?: string;
  actor: { kind: string; name: string };
  subject?: Thing;
  cause?: { commit?: string; repo?: string; person?: string; object?: Thing; schedule?: string; due?: string };
  /** All entries of one change have the same. */
  change?: string;
  settles?: string;
  summary?: string;
  details?: Record<string, unknown>;
}

export interface EntryPage {
  items?: Entry[];
  /** Where to go on; missing at the end. */
  cursor?: string;
}
