import type { Scope, SecretRow, SecretState, Use } from "./wire";

export const STATE_WORDS: Readonly<Record<SecretState, string>> = {
  well: "In place",
  waiting: "Not there yet",
  wrong: "Failing",
};

export const SCOPES: readonly { scope: Scope; title: string; means: string }[] = [
  {
    scope: "strict",
    title: "This Secret only",
    means: "The values open under this very name and namespace, and nowhere else. The usual choice.",
  },
  {
    scope: "namespace-wide",
    title: "Any Secret of the namespace",
    means: "Whoever may write in the namespace may give the values another name.",
  },
  {
    scope: "cluster-wide",
    title: "Any Secret of the cluster",
    means: "Whoever may write in any namespace can have the values opened there.",
  },
];

export const scopeTitle = (scope: Scope): string => SCOPES.find((each) => each.scope === scope)?.title ?? scope;

const HOW: Readonly<Record<string, string>> = {
  env: "as a variable",
  envFrom: "as variables",
  volume: "as files",
  pull: "to pull images",
  tls: "for TLS",
};

export const usageOf = ({ kind, name, how, key }: Use): string =>
  `${kind} ${name} uses ${key ? `its key ${key}` : "it"} ${HOW[how] ?? how}`;

/** Where the values come from. */
export const originOf = ({ kind, scope, store }: SecretRow): string =>
  kind === "SealedSecret" ? `sealed in Git, ${scopeTitle(scope ?? "strict").toLowerCase()}` : (store ?? "a store");

/** Keys that some use names and nothing brings. Nothing is missing where a store may bring any. */
export function missingKeys(row: Pick<SecretRow, "keys" | "moreKeys">, usedBy: readonly Use[]): string[] {
  if (row.moreKeys) return [];
  const named = new Set(usedBy.map((use) => use.key ?? "").filter(Boolean));
  return [...named].filter((key) => !row.keys.includes(key)).sort();
}

/** Keys that nobody names, where all that use it name the keys that they want. */
export function unusedKeys(row: Pick<SecretRow, "keys">, usedBy: readonly Use[]): string[] {
  if (usedBy.length === 0 || usedBy.some((use) => !use.key)) return [];
  const named = new Set(usedBy.map((use) => use.key));
  return row.keys.filter((key) => !named.has(key));
}

/** What sets one key in a file that is in Git. */
export const setCommand = ({ namespace, name }: { namespace: string; name: string }, key = "KEY"): string =>
  `plumb secret set FILE ${key} --name ${name} -n ${namespace}`;
