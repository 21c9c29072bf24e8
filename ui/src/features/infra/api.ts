import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useQueryClient,
} from "@tanstack/react-query";
import { get } from "@/api/client";
import { useTopic } from "@/api/live";
import type { Listed, ListSearch } from "./model/listing";
import type { Claim, ClaimPage, Definition, Place, Tree } from "./model/wire";
import { claimAddress } from "./model/words";

const PAGE = 100;
/** How often is asked again what no stream tells of. */
export const AGAIN_MS = 10_000;
/** The same for lists, of which a stream tells: kinds may be served that were not when it began. */
const RARELY_MS = 60_000;

/** A list that the server searches and sorts, page after page. */
export const listQuery = <T>(path: string, { q = "", sort = "" }: ListSearch) =>
  infiniteQueryOptions({
    queryKey: [path, "list", q, sort],
    queryFn: ({ pageParam, signal }) =>
      get<Listed<T>>(path, { query: { q, sort, offset: pageParam, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
    refetchInterval: RARELY_MS,
    placeholderData: keepPreviousData,
  });

/** Asks again as soon as the server tells of a change. */
export function Listening({ topic, about }: { topic: string; about: QueryKey }) {
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
