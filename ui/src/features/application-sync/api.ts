import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { ask, get, post, type QueryValue } from "@/api/client";
import { applicationQuery } from "@/features/application/api";
import type { OneApplication } from "./model/application";
import { deletionQuery, type Way } from "./model/deletion";
import type { Plan } from "./model/plan";

interface Named {
  namespace: string;
  name: string;
}

const path = (name: string, below = "") => `applications/${encodeURIComponent(name)}${below}`;
const where = (namespace: string) => ({ query: { appNamespace: namespace } });

/** With a body, be it an empty one: the server takes no change from a browser that does not say that it is JSON. */
const remove = (address: string, query: Record<string, QueryValue>) => ask("DELETE", address, { query, body: {} });

export interface PlanQuestion {
  prune: boolean;
  revision: string;
  options: readonly string[];
}

function plan(
  { namespace, name }: Named,
  { prune, revision, options }: PlanQuestion,
  signal?: AbortSignal,
): Promise<Plan> {
  const listed = options.map((option) => `syncOptions=${encodeURIComponent(option)}`).join("&");
  return get(`${path(name, "/plan")}${listed ? `?${listed}` : ""}`, {
    query: { appNamespace: namespace, prune, revision },
    signal,
  });
}

/** What a sync would do. *stamp* is of the application as it is now: with another one, it is planned anew. */
export const planQuery = (application: Named, question: PlanQuestion, stamp: string) =>
  queryOptions({
    queryKey: ["application-plan", application.namespace, application.name, question, stamp],
    queryFn: ({ signal }) => plan(application, question, signal),
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });

export const freshPlan = plan;

export interface Windows {
  canSync?: boolean;
  activeWindows?: { kind?: string; schedule?: string; duration?: string }[];
}

export const windowsQuery = ({ namespace, name }: Named) =>
  queryOptions({
    queryKey: ["application-windows", namespace, name],
    queryFn: ({ signal }) => get<Windows>(path(name, "/syncwindows"), { ...where(namespace), signal }),
  });

/** Asks for something that answers with the application as it is then. */
function useAsking<T>({ namespace, name }: Named, asked: (given: T) => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: asked,
    onSettled: () => queryClient.invalidateQueries({ queryKey: applicationQuery(namespace, name).queryKey }),
  });
}

export const useSyncing = (application: Named) =>
  useAsking(application, (body: object) =>
    post<OneApplication>(
      path(application.name, "/sync"),
      { ...body, appNamespace: application.namespace },
      where(application.namespace),
    ),
  );

export const useTerminating = (application: Named) =>
  useAsking(application, () => remove(path(application.name, "/operation"), where(application.namespace).query));

/** Looks at Git and at the cluster again; `hard` also forgets what was rendered. */
export const useRefreshing = (application: Named) =>
  useAsking(application, (kind: "normal" | "hard") =>
    get(path(application.name), { query: { appNamespace: application.namespace, refresh: kind } }),
  );

export const usePatching = (application: Named) =>
  useAsking(application, (patch: object) =>
    ask("PATCH", path(application.name), {
      ...where(application.namespace),
      body: { patch: JSON.stringify(patch), patchType: "merge", appNamespace: application.namespace },
    }),
  );

export const useDeleting = (application: Named) =>
  useAsking(application, (way: Way) =>
    remove(path(application.name), { appNamespace: application.namespace, ...deletionQuery(way) }),
  );
