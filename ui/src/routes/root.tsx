import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, type ErrorComponentProps, Outlet } from "@tanstack/react-router";
import { Failed, NotThere } from "@/kit/state";

export interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NoSuchPage,
  errorComponent: Broken,
});

export function NoSuchPage() {
  return (
    <NotThere sentence="There is no page at this address." detail={window.location.pathname} command="plumb open">
      <a href={document.baseURI} className="inline-flex min-h-8 items-center underline">
        To the applications
      </a>
    </NotThere>
  );
}

export function Broken({ error, reset }: ErrorComponentProps) {
  return <Failed error={error} what="This page" onRetry={reset} />;
}
