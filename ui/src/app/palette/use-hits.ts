import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Hit } from "@/app/feature";
import { useFeatures } from "@/app/features-context";

const REST_MS = 120;

interface Found {
  group: string;
  hits: readonly Hit[];
}

/** What rooms find on the server for *text*, once nobody has typed for a moment. */
export function useHits(text: string): { found: readonly Found[]; pending: boolean } {
  const rested = useRested(text.trim());
  const finders = useFeatures().flatMap((each) => each.finders ?? []);
  return useQueries({
    queries: finders.map((finder) => ({
      queryKey: ["find", finder.group, rested],
      queryFn: ({ signal }: { signal: AbortSignal }) => finder.find(rested, signal),
      enabled: rested !== "",
      staleTime: 10_000,
    })),
    combine: (answers) => ({
      found: answers.map((answer, place) => ({ group: finders[place]?.group ?? "", hits: answer.data ?? [] })),
      pending: rested !== text.trim() || answers.some((answer) => answer.isFetching),
    }),
  });
}

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
