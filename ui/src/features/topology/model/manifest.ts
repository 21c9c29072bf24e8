type Json = Record<string, unknown>;

const recordOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** The object without the record of who wrote what, which is longer than the rest. */
export function withoutManagers(manifest: Json): Json {
  const { managedFields: _, ...metadata } = recordOf(manifest.metadata);
  return { ...manifest, metadata };
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  since: string;
}

/** What the object says of itself, as most kinds do. */
export function conditionsOf(manifest: Json | undefined): Condition[] {
  const { conditions } = recordOf(manifest?.status);
  if (!Array.isArray(conditions)) return [];
  return conditions.map(recordOf).map((each) => ({
    type: String(each.type ?? ""),
    status: String(each.status ?? ""),
    reason: String(each.reason ?? ""),
    message: String(each.message ?? ""),
    since: String(each.lastTransitionTime ?? ""),
  }));
}

export function labelsOf(manifest: Json | undefined): [name: string, value: string][] {
  return Object.entries(recordOf(recordOf(manifest?.metadata).labels)).map(([name, value]) => [name, String(value)]);
}
