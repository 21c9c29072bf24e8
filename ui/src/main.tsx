import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onUnauthenticated } from "@/api/client";
import { createLiveStream } from "@/api/live";
import { createQueryClient } from "@/api/query-client";
import { sessionQuery } from "@/api/session";
import { App } from "@/app/app";
import { features } from "@/app/features";
import { applyPreferences } from "@/app/preferences";
import { createAppRouter } from "@/app/router";
import { styleNonce } from "@/app/style-nonce";
import "@/app/styles.css";

const queryClient = createQueryClient();
const router = createAppRouter(queryClient, features);

onUnauthenticated(() => {
  const here = router.state.location;
  if (here.pathname === "/login") return;
  queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
  void router.navigate({ to: "/login", search: { back: here.href } });
});
applyPreferences(document.documentElement);
setNonce(styleNonce());

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element called root");
createRoot(root).render(
  <StrictMode>
    <App queryClient={queryClient} router={router} live={createLiveStream()} features={features} />
  </StrictMode>,
);
