import { LayoutGrid } from "lucide-react";
import { get } from "@/api/client";
import { feature, type Hit } from "@/app/feature";
import { rowOf } from "./model/row";
import { shellQuoted } from "./model/search";
import { USUAL_VIEWS } from "./model/views";
import type { ApplicationList } from "./model/wire";
import { applicationsRoute } from "./routes";

const MOST_HITS = 8;

async function find(text: string, signal: AbortSignal): Promise<Hit[]> {
  const query = {
    q: `name:${shellQuoted(text).includes("'") ? `"${text.replaceAll('"', "")}"` : text}`,
    limit: MOST_HITS,
  };
  const { items } = await get<ApplicationList>("applications", { query, signal });
  return (items ?? []).map(rowOf).map((row) => ({
    id: `application-${row.key}`,
    title: row.name,
    detail: `${row.project} · ${row.health} · ${row.sync}`,
    icon: LayoutGrid,
    run: (go) => go.to(`/applications/${row.namespace}/${row.name}`),
  }));
}

export default feature({
  id: "applications",
  rail: { title: "Apps", icon: LayoutGrid, to: "/applications", order: 10, key: "a" },
  routes: [applicationsRoute],
  finders: [{ group: "Applications", find }],
  commands: USUAL_VIEWS.map((view) => ({
    id: `applications-view-${view.name}`,
    title: view.name,
    group: "Applications",
    words: "view filter list",
    icon: LayoutGrid,
    run: (go) => go.to("/applications", { ...view.search }),
  })),
});
