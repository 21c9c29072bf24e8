import { queryOptions } from "@tanstack/react-query";
import { get } from "./client";

export interface Settings {
  url?: string;
  oidcConfig?: { name?: string } | null;
  dexConfig?: { connectors?: { name: string }[] } | null;
  userLoginsDisabled?: boolean;
  appsInAnyNamespaceEnabled?: boolean;
  controllerNamespace?: string;
  statusBadgeEnabled?: boolean;
  help?: { chatUrl?: string; chatText?: string } | null;
}

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => get<Settings>("settings", { signal }),
  staleTime: 300_000,
});

/** How the button for single sign-on is called; empty where there is none. */
export function singleSignOnName(settings: Settings | undefined): string {
  if (settings?.oidcConfig) return settings.oidcConfig.name || "single sign-on";
  return settings?.dexConfig?.connectors?.[0]?.name ?? "";
}
