import { queryOptions } from "@tanstack/react-query";
import { get, post } from "@/api/client";
import { AGAIN_MS, listQuery } from "@/features/infra/api";
import type { ListSearch } from "@/features/infra/model/listing";
import type { Decision, Output, Plan, Terraform, TerraformPage } from "./model/wire";

export const TERRAFORMS = "terraforms";

export const terraformsQuery = (search: ListSearch) => listQuery<Terraform>(TERRAFORMS, search);

const pathOf = (namespace: string, name: string): string =>
  [TERRAFORMS, encodeURIComponent(namespace), encodeURIComponent(name)].join("/");

export const terraformQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: [TERRAFORMS, "one", namespace, name],
    queryFn: ({ signal }) => get<TerraformPage>(pathOf(namespace, name), { signal }),
    refetchInterval: AGAIN_MS,
  });

export const planQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: [TERRAFORMS, "plan", namespace, name],
    queryFn: ({ signal }) => get<Plan>(`${pathOf(namespace, name)}/plan`, { signal }),
    refetchInterval: AGAIN_MS,
  });

/** Names only, whatever else the server would tell. */
export const outputsQuery = (namespace: string, name: string, version: string) =>
  queryOptions({
    queryKey: [TERRAFORMS, "outputs", namespace, name, version],
    queryFn: async ({ signal }): Promise<Output[]> => {
      const { items } = await get<{ items: Output[] }>(`${pathOf(namespace, name)}/outputs`, { signal });
      return items.map((output) => ({ name: output.name, sensitive: output.sensitive }));
    },
    retry: false,
  });

/** Says yes or no to the plan of that very *digest*. The server refuses with 409 if another one waits by now. */
export const decide = (namespace: string, name: string, decision: Decision, digest: string, comment: string) =>
  post(`${pathOf(namespace, name)}/${decision}`, { digest, comment });

export const planAgain = (namespace: string, name: string) => post(`${pathOf(namespace, name)}/reconcile`, {});
