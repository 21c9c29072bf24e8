import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import { AGAIN_MS, listQuery } from "@/features/infra/api";
import type { ListSearch } from "@/features/infra/model/listing";
import type { Certificate, SealingKeys, SecretPage, SecretRow } from "./model/wire";

export const SECRETS = "secrets";

export const secretsQuery = (search: ListSearch) => listQuery<SecretRow>(SECRETS, search);

export const secretQuery = (kind: string, namespace: string, name: string) =>
  queryOptions({
    queryKey: [SECRETS, "one", kind, namespace, name],
    queryFn: ({ signal }) =>
      get<SecretPage>([SECRETS, kind, namespace, name].map(encodeURIComponent).join("/"), { signal }),
    refetchInterval: AGAIN_MS,
  });

export const keysQuery = queryOptions({
  queryKey: [SECRETS, "keys"],
  queryFn: ({ signal }) => get<SealingKeys>("sealing/keys", { signal }),
  staleTime: 60_000,
});

/** What to seal against. It is fetched anew for whoever comes to seal: keys are renewed. */
export const certificateQuery = queryOptions({
  queryKey: [SECRETS, "certificate"],
  queryFn: ({ signal }) => get<Certificate>("sealing/certificate", { signal }),
  staleTime: 0,
});
