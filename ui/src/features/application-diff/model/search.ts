import { SIDES, type Side } from "./sides";

export interface DiffSearch {
  q: string;
  kind: string;
  object: string;
  /** Objects that do not differ as well. */
  all: boolean;
  show: Side;
}

export function diffSearch(search: Record<string, unknown>): DiffSearch {
  const text = (name: string) => (typeof search[name] === "string" ? search[name] : "");
  const show = SIDES.find((side) => side === search.show) ?? "changes";
  return { q: text("q"), kind: text("kind"), object: text("object"), all: search.all === true, show };
}

interface Stamped {
  status?: {
    reconciledAt?: string;
    sync?: { status?: string; revision?: string; revisions?: string[] };
    operationState?: { phase?: string; finishedAt?: string };
  };
}

/** Another one whenever what is there or what is asked for may be another. */
export function stampOf({ status = {} }: Stamped): string {
  const { reconciledAt, sync, operationState } = status;
  return [
    reconciledAt,
    sync?.status,
    sync?.revision,
    sync?.revisions,
    operationState?.phase,
    operationState?.finishedAt,
  ].join();
}

/** One sentence for what the tab shows. */
export function diffSentence(differing: number, shown: number, status: string): string {
  const objects = (count: number) => `${count.toLocaleString("en")} object${count === 1 ? "" : "s"}`;
  if (differing === 0)
    return status === "Synced"
      ? "Everything is as Git asks for."
      : `Nothing differs; the state is ${status || "not known yet"}.`;
  const verb = differing === 1 ? "differs" : "differ";
  return `${objects(differing)} ${verb} from Git${shown === differing ? "" : `; ${shown} shown`}.`;
}
