import type { Resource } from "@/features/topology/model/resource";
import { type Branch, everyBranch } from "@/graph/forest";

export interface PodTrouble {
  /** In a verb: `crash-loops`, `cannot pull its image`. */
  verb: string;
  verbOfMany: string;
  ill: number;
  all: number;
}

/** What `kubectl get pods` calls it, and what it means. */
const VERBS: readonly [RegExp, one: string, many: string][] = [
  [/CrashLoopBackOff/, "crash-loops", "crash-loop"],
  [/ImagePullBackOff|ErrImagePull|InvalidImageName/, "cannot pull its image", "cannot pull their image"],
  [/CreateContainerConfigError|CreateContainerError/, "cannot be started", "cannot be started"],
  [/OOMKilled/, "ran out of memory", "ran out of memory"],
  [/Evicted/, "was evicted", "were evicted"],
  [/Error|ExitCode|Signal/, "ended with an error", "ended with an error"],
];

const ENDED = new Set(["Completed", "Succeeded"]);

const statusOf = (pod: Resource): string => pod.facts.find(([name]) => name === "Status Reason")?.[1] ?? "";

/** How many pods are in which trouble; the trouble that most are in. Nothing where none is. */
export function podTrouble(tree: Branch<Resource>): PodTrouble | undefined {
  const pods = everyBranch(tree)
    .map((branch) => branch.object)
    .filter(
      (object) => object.kind === "Pod" && object.group === "" && !object.orphaned && !ENDED.has(statusOf(object)),
    );
  const ill = pods.filter((pod) => pod.health === "Degraded");
  const counts = new Map<string, PodTrouble>();
  for (const pod of ill) {
    const [, verb, verbOfMany] = VERBS.find(([pattern]) => pattern.test(statusOf(pod))) ?? [
      null,
      "is degraded",
      "are degraded",
    ];
    const before = counts.get(verb) ?? { verb, verbOfMany, ill: 0, all: pods.length };
    counts.set(verb, { ...before, ill: before.ill + 1 });
  }
  return [...counts.values()].sort((one, other) => other.ill - one.ill)[0];
}
