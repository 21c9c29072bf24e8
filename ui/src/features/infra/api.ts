import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { createElement } from "react";
import { get } from "@/api/client";
import { ApiError } from "@/api/errors";
import { useTopic } from "@/api/live";
import { type Listed, type ListSearch, topicsNamed } from "./model/listing";
import type { Claim, ClaimPage, Definition, Place, Tree } from "./model/wire";
import { claimAddress } from "./model/words";

const PAGE = 100;
/** How often is asked again what no stream tells of. */
export const AGAIN_MS = 10_000;

/** A list that the server searches and sorts, page after page. */
export const listQuery = <T>(path: string, { q = "", sort = "" }: ListSearch) =>
  infiniteQueryOptions({
    queryKey: [path, "list", q, sort],
    queryFn: ({ pageParam, signal }) =>
      get<Listed<T>>(path, { query: { q, sort, offset: pageParam, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });

/** Asks for nothing, since the refusal names all that can be listened to. */
const topicsQuery = queryOptions({
  queryKey: ["live", "topics"],
  queryFn: async ({ signal }): Promise<string[]> => {
    try {
      await get("live", { signal });
    } catch (refusal) {
      if (refusal instanceof ApiError && refusal.status === 400)
        return topicsNamed(`${refusal.message} ${refusal.hint}`);
    }
    return [];
  },
  staleTime: Number.POSITIVE_INFINITY,
});

interface ListeningProps {
  topic: string;
  about: QueryKey;
}

/** Asks again as soon as the server tells of a change, if it tells of *topic* at all: one that it does not know ends the whole stream. */
export function Listening(props: ListeningProps) {
  const { data } = useQuery(topicsQuery);
  return data?.includes(props.topic) ? createElement(Hearing, props) : null;
}

function Hearing({ topic, about }: ListeningProps) {
  const queryClient = useQueryClient();
  useTopic(topic, () => void queryClient.invalidateQueries({ queryKey: about }));
  return null;
}

export const CLAIMS = "claims";

export const claimsQuery = (search: ListSearch) => listQuery<Claim>(CLAIMS, search);

export const claimQuery = (place: Place) =>
  queryOptions({
    queryKey: [CLAIMS, "one", claimAddress(place)],
    queryFn: ({ signal }) => get<ClaimPage>(`${CLAIMS}/${claimAddress(place)}`, { signal }),
    refetchInterval: AGAIN_MS,
  });

export const treeQuery = (place: Place) =>
  queryOptions({
    queryKey: [CLAIMS, "tree", claimAddress(place)],
    queryFn: ({ signal }) => get<Tree>(`${CLAIMS}/${claimAddress(place)}/tree`, { signal }),
    refetchInterval: AGAIN_MS,
  });

/** What the platform offers under that kind; its connection keys are names, never values. */
export const definitionQuery = ({ group = "", kind }: Place) =>
  queryOptions({
    queryKey: ["definitions", group, kind],
    queryFn: async ({ signal }) => {
      const query = { q: `kind:"${kind}" group:"${group}"` };
      return (await get<Listed<Definition>>("definitions", { query, signal })).items[0] ?? null;
    },
    staleTime: 60_000,
  });
