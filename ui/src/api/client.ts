import { ApiError, refusalOf } from "./errors";

export type QueryValue = string | number | boolean | undefined;

interface Asked {
  query?: Record<string, QueryValue>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

type Listener = () => void;
const unauthenticated = new Set<Listener>();

/** Called whenever the server no longer knows who asks; returns what ends the listening. */
export function onUnauthenticated(listener: Listener): () => void {
  unauthenticated.add(listener);
  return () => unauthenticated.delete(listener);
}

export function tellUnauthenticated(): void {
  for (const listener of unauthenticated) listener();
}

/** The address of an API path: relative to the page's base, so that the product works behind a prefix. */
export function address(path: string, query: Record<string, QueryValue> = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url.href;
}

export const get = <T>(path: string, asked: Asked = {}): Promise<T> => ask<T>("GET", path, asked);
export const post = <T>(path: string, body: unknown, asked: Asked = {}): Promise<T> =>
  ask<T>("POST", path, { ...asked, body });
export const put = <T>(path: string, body: unknown, asked: Asked = {}): Promise<T> =>
  ask<T>("PUT", path, { ...asked, body });
export const remove = <T>(path: string, asked: Asked = {}): Promise<T> => ask<T>("DELETE", path, asked);

/** Asks and decodes; whatever is not a 2xx becomes an ApiError. The types are the server's promise. */
export async function ask<T>(method: string, path: string, { query, body, signal }: Asked = {}): Promise<T> {
  const response = await reach(address(path, query), {
    method,
    credentials: "same-origin",
    // Whatever changes something says so even without a body: a form on another page cannot.
    headers: { Accept: "application/json", ...(method === "GET" ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const answered = await decoded(response);
  if (response.ok) return answered as T;
  if (response.status === 401 && path !== "session") tellUnauthenticated();
  throw refusalOf(response.status, answered);
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    throw new ApiError(0, "The server cannot be reached", { hint: "Check that `plumb up` runs, then try again." });
  }
}

async function decoded(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return response.ok ? text : { message: `The server answered ${response.status}` };
  }
}
