import { queryOptions } from "@tanstack/react-query";
import { get, post, put, remove } from "@/api/client";
import { bodyOf, type Connecting, type Wanted } from "./model/connection";
import type { Account, Cluster, DetailedProject, List, Project, Repository, Verdict, Version } from "./model/wire";

const path = (...parts: string[]): string => parts.map(encodeURIComponent).join("/");

export const repositoriesQuery = queryOptions({
  queryKey: ["settings", "repositories"],
  queryFn: async ({ signal }) => (await get<List<Repository>>("repositories", { signal })).items ?? [],
});

export const clustersQuery = queryOptions({
  queryKey: ["settings", "clusters"],
  queryFn: async ({ signal }) => (await get<List<Cluster>>("clusters", { signal })).items ?? [],
});

export const projectsQuery = queryOptions({
  queryKey: ["settings", "projects"],
  queryFn: async ({ signal }) => (await get<List<Project>>("projects", { signal })).items ?? [],
});

export const projectQuery = (name: string) =>
  queryOptions({
    queryKey: ["settings", "projects", name],
    queryFn: ({ signal }) => get<DetailedProject>(path("projects", name, "detailed"), { signal }),
  });

/** The windows of a project that are open now. */
export const openWindowsQuery = (name: string) =>
  queryOptions({
    queryKey: ["settings", "projects", name, "windows"],
    queryFn: async ({ signal }) =>
      (await get<{ windows?: object[] }>(path("projects", name, "syncwindows"), { signal })).windows ?? [],
  });

export const accountsQuery = queryOptions({
  queryKey: ["settings", "accounts"],
  queryFn: async ({ signal }) => (await get<List<Account>>("account", { signal })).items ?? [],
});

export const versionQuery = queryOptions({
  queryKey: ["settings", "version"],
  queryFn: ({ signal }) => get<Version>("../version", { signal }),
});

export const mayQuery = (resource: string, action: string, object: string) =>
  queryOptions({
    queryKey: ["settings", "may", resource, action, object],
    queryFn: ({ signal }) => get<Verdict>(path("account", "can-i", resource, action, object), { signal }),
  });

export const connecting: Connecting = {
  may: (project, url) =>
    get<Verdict>(path("account", "can-i", "repositories", "create", project ? `${project}/${url}` : url)),
  validate: (wanted) => post(path("repositories", wanted.url, "validate"), bodyOf(wanted)),
  save: (wanted) => post("repositories", bodyOf(wanted), { query: { upsert: true } }),
  look: async ({ url, project }) => {
    const query = { forceRefresh: true, appProject: project };
    return (await get<Repository>(path("repositories", url), { query })).connectionState;
  },
};

export type { Wanted };

export const forgetRepository = ({ repo, project }: Repository): Promise<unknown> =>
  remove(path("repositories", repo), { query: { appProject: project } });

interface Issued {
  token: string;
}

export interface NewToken {
  id: string;
  expiresIn: number;
}

export const issueRoleToken = (project: string, role: string, wanted: NewToken): Promise<Issued> =>
  post(path("projects", project, "roles", role, "token"), wanted);
export const revokeRoleToken = (project: string, role: string, issued: number, id: string): Promise<unknown> =>
  remove(path("projects", project, "roles", role, "token", String(issued)), { query: { id } });

export const issueAccountToken = (account: string, wanted: NewToken): Promise<Issued> =>
  post(path("account", account, "token"), wanted);
export const revokeAccountToken = (account: string, id: string): Promise<unknown> =>
  remove(path("account", account, "token", id));

export const changePassword = (name: string, currentPassword: string, newPassword: string): Promise<unknown> =>
  put("account/password", { name, currentPassword, newPassword });
