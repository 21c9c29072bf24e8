import { yamlOf } from "@/kit/model/yaml";

export const SIDES = ["changes", "desired", "live", "predicted"] as const;
export type Side = (typeof SIDES)[number];

/** What each side is, in words. */
export const SIDE_SENTENCES: Record<Side, string> = {
  changes: "What a sync would change: live on the left, as it would be on the right.",
  desired: "What Git asks for.",
  live: "What the cluster has.",
  predicted: "What the cluster would have after a sync.",
};

export interface ManagedObject {
  targetState?: string;
  liveState?: string;
  predictedLiveState?: string;
}

export interface ManagedAnswer {
  items?: ManagedObject[];
}

const FIELD = { desired: "targetState", live: "liveState", predicted: "predictedLiveState" } as const;

/** YAML of one side; nothing where the object is not on it. */
export function sideText(answer: ManagedAnswer, side: Exclude<Side, "changes">): string {
  const state = answer.items?.[0]?.[FIELD[side]];
  const value: unknown = state ? JSON.parse(state) : null;
  return value === null ? "" : yamlOf(value);
}
