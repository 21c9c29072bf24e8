import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Toaster } from "sonner";
import { LiveProvider } from "@/api/live";
import type { LiveStream } from "@/api/live/stream";
import type { Feature } from "./feature";
import { FeaturesProvider } from "./features-context";
import { usePreferences } from "./preferences";
import type { AppRouter } from "./router";

interface AppProps {
  queryClient: QueryClient;
  router: AppRouter;
  live: LiveStream | null;
  features: readonly Feature[];
}

export function App({ queryClient, router, live, features }: AppProps) {
  const { theme } = usePreferences();
  return (
    <QueryClientProvider client={queryClient}>
      <LiveProvider value={live}>
        <FeaturesProvider value={features}>
          <RouterProvider router={router} />
          <Toaster theme={theme} position="bottom-right" closeButton />
        </FeaturesProvider>
      </LiveProvider>
    </QueryClientProvider>
  );
}
