import { queryOptions } from "@tanstack/react-query";
import { get, post, remove } from "./client";
import { ApiError } from "./errors";

export interface Session {
  loggedIn: boolean;
  username: string;
  iss: string;
  groups: string[];
}

const NOBODY: Session = { loggedIn: false, username: "", iss: "", groups: [] };

async function whoAsks(signal?: AbortSignal): Promise<Session> {
  try {
    return { ...NOBODY, ...(await get<Partial<Session>>("session/userinfo", { signal })) };
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 401) return NOBODY;
    throw failure;
  }
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => whoAsks(signal),
  staleTime: 60_000,
});

export const logIn = (username: string, password: string): Promise<unknown> => post("session", { username, password });
export const logOut = (): Promise<unknown> => remove("session");
