import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { announce } from "@/app/announcer";
import { useGo } from "@/app/go";
import type { Application } from "@/features/applications/model/wire";
import { type Healths, healthChanges, healthsOf } from "@/graph/changes";
import { type Branch, everyBranch, filtered } from "@/graph/forest";
import type { Seen } from "@/graph/sight";
import { drawerId, type Resource } from "./model/resource";
import { searchOf, type TopologySearch, toggled, written } from "./model/search";
import { treeOf } from "./model/tree";
import type { WireTree } from "./model/wire";

export interface Topology {
  /** Everything there is, and of that what fits the filter. */
  whole: Branch<Resource>;
  root: Branch<Resource>;
  search: TopologySearch;
  change: (changed: Partial<TopologySearch>) => void;
  /** Opens or closes what has something below it. */
  toggle: (key: string, open: boolean) => void;
  /** What choosing does: an object shows its details, a group shows who is in it. */
  choose: (seen: Seen<Resource>) => void;
}

/** The tree as the address asks for it. */
export function useTopology(application: Application, tree: WireTree): Topology {
  const go = useGo();
  const search = useSearchOfTopology();
  const change = useChange();
  const whole = useMemo(() => treeOf(application, tree), [application, tree]);
  const { kinds, health, text } = search;
  const root = useMemo(() => filtered(whole, { kinds, health, text }), [whole, kinds, health, text]);
  const toggle = useCallback((key: string, open: boolean) => change(toggled(search, key, open)), [change, search]);
  const choose = useCallback(
    (seen: Seen<Resource>) => {
      const { object } = seen.branch ?? {};
      if (!object) return toggle(seen.key, !seen.open);
      if (object.key === "application") return undefined;
      const { namespace = "", name } = application.metadata;
      return go.drawer("resource", drawerId(namespace, name, object));
    },
    [toggle, go, application.metadata],
  );
  useAnnouncements(whole);
  return { whole, root, search, change, toggle, choose };
}

function useSearchOfTopology(): TopologySearch {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const said = JSON.stringify(searchOf(search));
  return useMemo(() => JSON.parse(said), [said]);
}

function useChange(): (changed: Partial<TopologySearch>) => void {
  const navigate = useNavigate();
  return useCallback(
    (changed) =>
      void navigate({ to: ".", replace: true, search: (before: object) => ({ ...before, ...written(changed) }) }),
    [navigate],
  );
}

/** Says who fares otherwise than when the page was last told. */
function useAnnouncements(whole: Branch<Resource>): void {
  const before = useRef<Healths | undefined>(undefined);
  useEffect(() => {
    const objects = everyBranch(whole).map((branch) => branch.object);
    if (before.current) for (const sentence of healthChanges(before.current, objects)) announce(sentence);
    before.current = healthsOf(objects);
  }, [whole]);
}
