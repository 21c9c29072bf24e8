/** Groups whose objects stand for something outside of the cluster. Providers' groups end alike. */
const GROUPS =
  /(^|\.)(crossplane\.io|upbound\.io|infra\.contrib\.fluxcd\.io|plumbline\.dev|bitnami\.com|external-secrets\.io)$/;
const MARKED = new Set(["External name", "Synced", "Ready"]);

/** Claims, composites, managed resources, Terraform and sealed secrets. The server marks those whose kind tells nothing. */
export function isInfrastructure({ group = "", info = [] }: { group?: string; info?: { name: string }[] }): boolean {
  return GROUPS.test(group) || info.some((each) => MARKED.has(each.name));
}

/** Kinds that hold what cannot be made again from Git. */
const STATEFUL = new Set([
  "PersistentVolumeClaim",
  "PersistentVolume",
  "StatefulSet",
  "Namespace",
  "CustomResourceDefinition",
  "VolumeSnapshot",
]);
const HOLDING = new Set(["Secret", "Terraform"]);

export const isStateful = (kind: string): boolean => STATEFUL.has(kind) || HOLDING.has(kind);
