import type { Resource } from "@/features/topology/model/resource";
import { type Branch, everyBranch } from "@/graph/forest";
import { grouped } from "@/kit/model/grouped";
import { HEALTH_ORDER, type Health } from "@/kit/model/status";

export interface KindCount {
  kind: string;
  count: number;
  /** How many are how, the worst first; those without health are not counted. */
  healths: [health: Health, count: number][];
  outOfSync: number;
}

/** What there is, by kind; kinds with trouble first, then the most frequent. */
export function kindCounts(tree: Branch<Resource>): KindCount[] {
  const objects = everyBranch(tree)
    .slice(1)
    .map((branch) => branch.object);
  const counts = [...grouped(objects, (object) => object.kind)].map(([kind, all]) => ({
    kind,
    count: all.length,
    healths: HEALTH_ORDER.flatMap((health): [Health, number][] => {
      const count = all.filter((object) => object.health === health).length;
      return count > 0 ? [[health, count]] : [];
    }),
    outOfSync: all.filter((object) => object.sync === "OutOfSync").length,
  }));
  return counts.sort(
    (one, other) => rank(one) - rank(other) || other.count - one.count || (one.kind < other.kind ? -1 : 1),
  );
}

const rank = ({ healths }: KindCount): number =>
  healths[0] ? HEALTH_ORDER.indexOf(healths[0][0]) : HEALTH_ORDER.length;

/** Whether none of a kind wants to be looked at. */
export const fine = ({ healths, outOfSync }: KindCount): boolean =>
  outOfSync === 0 && healths.every(([health]) => health === "Healthy");
