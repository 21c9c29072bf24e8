import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { Drifts, LeadTimes } from "./model/wire";

export const leadQuery = (since: string) =>
  queryOptions({
    queryKey: ["insights", "lead-time", since],
    queryFn: ({ signal }) => get<LeadTimes>("insights/lead-time", { query: { since }, signal }),
  });

export const driftQuery = (since: string) =>
  queryOptions({
    queryKey: ["insights", "drift", since],
    queryFn: ({ signal }) => get<Drifts>("insights/drift", { query: { since }, signal }),
  });
