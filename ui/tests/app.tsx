import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { LiveStream, type World } from "@/api/live/stream";
import { createQueryClient } from "@/api/query-client";
import { App } from "@/app/app";
import { features } from "@/app/features";
import { openSheet } from "@/app/palette/open";
import { createAppRouter } from "@/app/router";

/** The whole interface at an address, with a stream of events that the test writes. */
export function openApp(path: string) {
  openSheet.set("");
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient, features, createMemoryHistory({ initialEntries: [path] }));
  const said = new TransformStream<Uint8Array, Uint8Array>();
  const writer = said.writable.getWriter();
  const world: World = {
    open: async () => new Response(said.readable),
    frame: (run) => setTimeout(run, 0),
    later: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    refused: () => undefined,
  };
  render(<App queryClient={queryClient} router={router} live={new LiveStream(world)} features={features} />);
  const tell = (event: string, payload: object) =>
    writer.write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`));
  return { router, queryClient, tell };
}
