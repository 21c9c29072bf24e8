import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { Application, ApplicationList } from "@/features/applications/model/wire";

/** An application as the server lists it. */
export function application(
  name: string,
  said: Partial<Record<"health" | "sync" | "project" | "server", string>> = {},
): Application {
  const { health = "Healthy", sync = "Synced", project = "shop", server: address = "https://eu" } = said;
  return {
    metadata: { name, namespace: "argocd" },
    spec: {
      project,
      destination: { server: address, namespace: project },
      source: { repoURL: "https://git/x/shop.git", path: "prod" },
    },
    status: {
      health: { status: health },
      sync: { status: sync, revision: "0123456789012345678901234567890123456789" },
    },
  };
}

export function listOf(items: Application[], total = items.length): ApplicationList {
  return {
    metadata: {},
    items,
    counts: {
      total,
      health: { Healthy: total },
      sync: { Synced: total },
      project: { shop: total },
      cluster: { eu: total },
    },
  };
}

export const api = (path: string): string => `*/api/v1/${path}`;

/** A server with somebody logged in and nothing in it; tests say otherwise with `server.use`. */
export const server = setupServer(
  http.get(api("session/userinfo"), () =>
    HttpResponse.json({ loggedIn: true, username: "ada", iss: "argocd", groups: [] }),
  ),
  http.get(api("settings"), () => HttpResponse.json({})),
  http.get(api("clusters"), () => HttpResponse.json({ items: [{ server: "https://eu", name: "eu" }] })),
  http.get(api("applications"), () => HttpResponse.json(listOf([]))),
  http.get(api("applications/:name/links"), () => HttpResponse.json({ items: [] })),
  http.get(api("applications/:name/resource/links"), () => HttpResponse.json({ items: [] })),
  http.get(api("applications/platform"), () => HttpResponse.json({ message: "permission denied" }, { status: 403 })),
);
