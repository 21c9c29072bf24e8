import { queryOptions } from "@tanstack/react-query";
import { get, post } from "@/api/client";
import { PAGE, pageOf } from "./model/page";
import type { SyncOptions } from "./model/sync";
import type { Application, ApplicationList } from "./model/wire";

export interface Question {
  q: string;
  order: string;
}

/** The start of every key under which lists of applications are kept. */
export const LISTS = ["applications", "list"] as const;

function list({ q, order }: Question, offset: number, limit: number, signal?: AbortSignal): Promise<ApplicationList> {
  return get("applications", { query: { q, sort: order, offset, limit }, signal });
}

export const pageQuery = (question: Question, offset: number) =>
  queryOptions({
    queryKey: [...LISTS, question.q, question.order, offset],
    queryFn: async ({ signal }) => pageOf(await list(question, offset, PAGE, signal)),
  });

/** Rows for a purpose of their own, such as everything that a filter finds. */
export const rowsQuery = (question: Question, limit: number) =>
  queryOptions({
    queryKey: [...LISTS, question.q, question.order, "first", limit],
    queryFn: async ({ signal }) => pageOf(await list(question, 0, limit, signal)),
  });

export function sync(namespace: string, name: string, options: SyncOptions): Promise<Application> {
  const path = `applications/${encodeURIComponent(name)}/sync`;
  return post(path, { name, appNamespace: namespace, ...options }, { query: { appNamespace: namespace } });
}
