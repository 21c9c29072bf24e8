/** What a person may ask of one sync, beyond what the application always asks. */
export interface SyncChoice {
  prune: boolean;
  dryRun: boolean;
  force: boolean;
  skipHooks: boolean;
  /** Sync options, by their names with `=true` or `=false`. */
  options: readonly string[];
  revision: string;
  note: string;
  /** Keys of the only rows that are meant; all where there are none. */
  only: readonly string[];
}

export const NO_CHOICE: SyncChoice = {
  prune: false,
  dryRun: false,
  force: false,
  skipHooks: false,
  options: [],
  revision: "",
  note: "",
  only: [],
};

export interface OptionText {
  title: string;
  /** What it does to the cluster, before anybody asks. */
  effect: string;
  risky?: boolean;
}

export const SWITCHES: Record<"prune" | "dryRun" | "force" | "skipHooks", OptionText> = {
  prune: {
    title: "Prune",
    effect: "Deletes objects that are no longer in Git. Without it they stay, and the application stays out of sync.",
  },
  dryRun: { title: "Dry run", effect: "Asks the cluster whether it would take every object. Nothing is changed." },
  force: {
    title: "Force",
    effect: "Deletes and makes again what cannot be changed in place. Pods end; what is not in Git is gone.",
    risky: true,
  },
  skipHooks: {
    title: "Without hooks",
    effect: "Jobs before, during and after the sync do not run, migrations neither.",
  },
};

export const OPTIONS: Record<string, OptionText> = {
  "ApplyOutOfSyncOnly=true": {
    title: "Only what differs",
    effect: "Objects that are as Git asks for are not sent again. Faster for large applications.",
  },
  "ServerSideApply=true": {
    title: "Apply on the server",
    effect: "The server merges, and keeps fields of other managers; large objects have no annotation.",
  },
  "PruneLast=true": { title: "Prune last", effect: "Deletes only after everything else is healthy." },
  "Validate=false": { title: "Without validation", effect: "Fields that the kind does not have are not refused." },
  "Replace=true": {
    title: "Replace",
    effect: "Writes whole objects instead of merging: what others set in them is lost.",
    risky: true,
  },
};

const nameOf = (option: string): string => option.split("=")[0] ?? "";

/** The application's own options with those of this sync in their place; none where nothing was chosen. */
export function optionsFor(own: readonly string[], chosen: readonly string[]): string[] | undefined {
  if (chosen.length === 0) return undefined;
  const names = new Set(chosen.map(nameOf));
  return [...own.filter((option) => !names.has(nameOf(option))), ...chosen];
}

interface Named {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** The body that asks for the sync. */
export function syncBody(choice: SyncChoice, own: readonly string[], only: readonly Named[]): object {
  const items = optionsFor(own, choice.options);
  const force = choice.force ? { force: true } : {};
  return {
    prune: choice.prune,
    dryRun: choice.dryRun,
    strategy: choice.skipHooks ? { apply: force } : { hook: force },
    ...(choice.revision ? { revision: choice.revision } : {}),
    ...(items ? { syncOptions: { items } } : {}),
    ...(choice.note.trim() ? { infos: [{ name: "note", value: choice.note.trim() }] } : {}),
    ...(only.length > 0
      ? { resources: only.map(({ group = "", kind, namespace = "", name }) => ({ group, kind, namespace, name })) }
      : {}),
  };
}

const FLAGS: Record<string, string> = {
  "ApplyOutOfSyncOnly=true": "--apply-out-of-sync-only",
  "ServerSideApply=true": "--server-side",
  "Replace=true": "--replace",
};

/** The same in a terminal; none where a terminal cannot say it. */
export function syncCommand(name: string, choice: SyncChoice, only: readonly Named[]): string | undefined {
  const flags = choice.options.map((option) => FLAGS[option]);
  if (flags.includes(undefined)) return undefined;
  const quoted = (text: string) => (/^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  return [
    `plumb app sync ${name}`,
    choice.prune && "--prune",
    choice.dryRun && "--dry-run",
    choice.force && "--force",
    choice.skipHooks && "--strategy apply",
    choice.revision && `--revision ${quoted(choice.revision)}`,
    ...flags,
    ...only.map(
      ({ group = "", kind, namespace, name: each }) =>
        `--resource ${group}:${kind}:${namespace ? `${namespace}/` : ""}${each}`,
    ),
    choice.note.trim() && `--info ${quoted(`note=${choice.note.trim()}`)}`,
  ]
    .filter(Boolean)
    .join(" ");
}
