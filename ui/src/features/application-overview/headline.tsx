import { useEffect, useState } from "react";
import type { Resource } from "@/features/topology/model/resource";
import type { Branch } from "@/graph/forest";
import { sentence } from "./model/sentence";
import type { WholeApplication } from "./model/wire";

const TICK_MS = 10_000;

/** The sentence on top. Its times go on while it is looked at. */
export function Headline({ application, tree }: { application: WholeApplication; tree: Branch<Resource> | undefined }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  // An update may tell of a moment that this clock has not come to.
  const text = sentence(application, tree, Math.max(now, Date.now()));
  return <h2 className="text-xl leading-snug font-medium break-words">{text}</h2>;
}
