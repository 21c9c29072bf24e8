import { useEffect, useMemo, useRef } from "react";
import { type Places, placed } from "@/graph/places";
import { type Seen, sight, standing } from "@/graph/sight";
import type { Resource } from "../model/resource";
import type { Topology } from "../use-topology";

interface Drawing {
  root: Seen<Resource>;
  places: Places;
}

/** What is drawn and where. An update moves as little as it can, and folds nothing away that somebody may be looking at. */
export function useDrawing({ root, search }: Topology): Drawing {
  const { opened, shut, kinds, health, text } = search;
  const filter = JSON.stringify([kinds, health, text]);
  const before = useRef<{ filter: string; drawing: Drawing } | undefined>(undefined);
  const drawing = useMemo(() => {
    const last = before.current?.filter === filter ? before.current.drawing : undefined;
    const seen = sight(root, {
      opened: new Set(opened),
      shut: new Set(shut),
      ...(last ? { kept: standing(last.root), rank: (key) => last.places.get(key)?.y } : {}),
    });
    return { root: seen, places: placed(seen) };
  }, [root, opened, shut, filter]);
  useEffect(() => {
    before.current = { filter, drawing };
  }, [filter, drawing]);
  return drawing;
}
