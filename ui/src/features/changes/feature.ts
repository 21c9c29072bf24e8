import { GitPullRequestArrow } from "lucide-react";
import { lazy } from "react";
import { type Command, feature } from "@/app/feature";
import type { ChangesSearch } from "./model/search";
import { changesRoute } from "./routes";

const view = (title: string, search: ChangesSearch): Command => ({
  id: `changes-${title}`,
  title,
  group: "Changes",
  words: "audit log journal history",
  icon: GitPullRequestArrow,
  run: (go) => go.to("/changes", { ...search }),
});

export default feature({
  id: "changes",
  rail: { title: "Changes", icon: GitPullRequestArrow, to: "/changes", order: 40, key: "c" },
  routes: [changesRoute],
  drawers: { change: { title: () => "What happened", body: lazy(() => import("./drawer")) } },
  commands: [
    view("What was refused", { kind: "refused" }),
    view("Logins of the last day", { kind: "login", since: "24h" }),
  ],
});
