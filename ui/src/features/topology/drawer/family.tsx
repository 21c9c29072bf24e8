import { useGo } from "@/app/go";
import { type Branch, everyBranch } from "@/graph/forest";
import { HealthStatus } from "@/kit/status";
import { type Address, drawerId, type Resource } from "../model/resource";

const MOST = 100;

interface FamilyProps {
  address: Address;
  whole: Branch<Resource>;
  branch: Branch<Resource>;
}

/** What it belongs to, and what belongs to it. */
export function Family({ address, whole, branch }: FamilyProps) {
  const parents = everyBranch(whole).filter((each) => branch.object.parents.includes(each.object.key));
  return (
    <div className="flex flex-col gap-4 text-sm">
      <Relatives
        title="Belongs to"
        none={`the application ${address.app}`}
        address={address}
        relatives={parents.map((each) => each.object)}
      />
      <Relatives
        title="Has"
        none="nothing of its own"
        address={address}
        relatives={branch.children.map((each) => each.object)}
      />
    </div>
  );
}

interface RelativesProps {
  title: string;
  none: string;
  address: Address;
  relatives: readonly Resource[];
}

function Relatives({ title, none, address, relatives }: RelativesProps) {
  const go = useGo();
  return (
    <section aria-label={title}>
      <h3 className="mb-1 font-medium">{title}</h3>
      {relatives.length === 0 && <p className="text-soft">{none}</p>}
      <ul>
        {relatives.slice(0, MOST).map((each) => (
          <li key={each.key} className="flex min-h-8 items-center gap-3">
            <button
              type="button"
              className="min-h-6 min-w-0 truncate text-left text-accent underline"
              onClick={() => go.drawer("resource", drawerId(address.appNamespace, address.app, each))}
            >
              {each.kind} {each.name}
            </button>
            {each.health && <HealthStatus status={each.health} />}
          </li>
        ))}
      </ul>
      {relatives.length > MOST && <p className="text-soft">and {relatives.length - MOST} more</p>}
    </section>
  );
}
