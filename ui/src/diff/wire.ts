/** What `GET applications/NAME/diff` answers. Whatever is empty is left out. */
export interface DiffLine {
  op: " " | "-" | "+";
  text?: string;
  /** The field, for people: `.spec.containers[name="web"].image`. */
  path?: string;
  /** Who holds the live value. */
  managers?: string[];
  /** Nobody wrote it: the server did, where nothing was said. */
  default?: boolean;
}

export interface DiffHunk {
  beforeStart: number;
  beforeLines: number;
  afterStart: number;
  afterLines: number;
  lines: DiffLine[];
}

export interface DiffChange {
  path: string;
  change: string;
  managers?: string[];
  secret?: boolean;
}

export interface ObjectName {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

export interface DiffItem extends ObjectName {
  version?: string;
  /** Synced, OutOfSync, Unknown; Missing where it is not there, Extra where Git no longer asks for it. */
  state: string;
  changes?: DiffChange[];
  hunks?: DiffHunk[];
  truncated?: boolean;
}

export interface DiffAnswer {
  revisions?: string[];
  status?: string;
  items?: DiffItem[];
}
