import type { KindRule, ProjectSpec, Token } from "./wire";

export function destinationText(destination: { server?: string; name?: string; namespace?: string }): string {
  const denied = [destination.server, destination.name, destination.namespace].some((each) => each?.startsWith("!"));
  const where = destination.name || destination.server || "*";
  const text = `${where === "*" ? "every cluster" : where}, namespace ${destination.namespace || "*"}`;
  return denied ? `Not: ${text.replaceAll("!", "")}` : text;
}

/** What may be deployed, as sentences: lists that are missing mean something, too. */
export function kindRules(spec: ProjectSpec): string[] {
  const { namespaceResourceWhitelist: allowed, namespaceResourceBlacklist: denied } = spec;
  const { clusterResourceWhitelist: above, clusterResourceBlacklist: deniedAbove } = spec;
  return [
    `In namespaces: ${allowed ? listed(allowed) : "every kind"}${denied?.length ? `, but not ${listed(denied)}` : ""}`,
    `Outside of them: ${above?.length ? listed(above) : "nothing"}${deniedAbove?.length ? `, but not ${listed(deniedAbove)}` : ""}`,
  ];
}

function listed(rules: readonly KindRule[]): string {
  if (rules.length === 0) return "nothing";
  return rules
    .map(({ group = "", kind = "*" }) => (kind === "*" && group === "*" ? "every kind" : named(group, kind)))
    .join(", ");
}

const named = (group: string, kind: string): string => (group ? `${kind} (${group})` : `${kind} (core)`);

/** When a token ends, for people. */
export function endText(token: Pick<Token, "exp">, now: number): string {
  if (!token.exp) return "never ends";
  const date = new Date(token.exp * 1000).toISOString().slice(0, 10);
  return token.exp * 1000 < now ? `ended ${date}` : `until ${date}`;
}
