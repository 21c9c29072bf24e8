import type { Claim, Owner, Resource } from "./wire";

export function resourceText({ object, external, id, pattern, cluster }: Resource): string {
  if (object) {
    const where = [object.namespace, object.name].filter(Boolean).join("/");
    return `${object.kind} ${where}${cluster ? ` on ${cluster}` : ""}`;
  }
  return `${external ?? ""} ${id ?? pattern ?? ""}`.trim();
}

/** As the lookup and the API name it. */
export function nameOf({ object, external, id, cluster }: Resource): string {
  if (!object) return `${external ?? ""}/${id ?? ""}`;
  const parts = [object.group || "-", object.kind, object.namespace || "-", object.name];
  return (cluster ? [cluster, ...parts] : parts).join("/");
}

const ENGINES: Readonly<Record<string, string>> = {
  application: "Application",
  terraform: "Terraform",
  crossplane: "Managed resource",
  claim: "Claim",
  composite: "Composite",
  composition: "Composition",
  secret: "Sealed or external secret",
  flux: "Flux",
  helm: "Helm",
};

export function ownerText({ engine, name, hidden }: Owner): string {
  const what = ENGINES[engine] ?? engine;
  return hidden ? `${what} that you may not see` : `${what} ${name ?? ""}`.trim();
}

/** Those who say that it is theirs; what is only a trace is not a side of a conflict. */
export function sidesOf(claims: readonly Claim[]): Claim[] {
  const declared = claims.filter((claim) => claim.strength === "declared");
  return declared.length > 0 ? declared : [...claims];
}

/** The command that explains the same; nothing for what the command names otherwise. */
export function commandFor({ object, external, id }: Resource): string {
  if (!object) return `plumb own explain '${external ?? ""}/${id ?? ""}'`;
  const kind = object.group ? `${object.kind}.${object.group}` : object.kind;
  return `plumb own explain ${kind.toLowerCase()}/${object.name}${object.namespace ? ` -n ${object.namespace}` : ""}`;
}

/** What somebody types, as the API wants it: a bare `Kind/namespace/name` is of the core group. */
export function askedOf(said: string): string {
  const text = said.trim();
  if (!text || text.startsWith("arn:")) return text;
  const parts = text.split("/");
  return parts.length === 3 ? `-/${text}` : text;
}
