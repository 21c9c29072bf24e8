import { Blocks } from "lucide-react";
import { get } from "@/api/client";
import { feature, type Hit } from "@/app/feature";
import type { Listed } from "@/features/infra/model/listing";
import { TERRAFORMS } from "./api";
import type { Terraform } from "./model/wire";
import { STATE_WORDS } from "./model/words";
import { terraformRoute, terraformsRoute } from "./routes";

const MOST_HITS = 6;

async function find(text: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q: `name:"${text.replaceAll('"', "")}"`, limit: MOST_HITS };
  const { items } = await get<Listed<Terraform>>(TERRAFORMS, { query, signal });
  return items.map((each) => ({
    id: `terraform-${each.namespace}/${each.name}`,
    title: each.name,
    detail: `${each.namespace} · ${STATE_WORDS[each.state] ?? each.state}`,
    icon: Blocks,
    run: (go) => go.to(`/terraform/${each.namespace}/${each.name}`),
  }));
}

export default feature({
  id: "terraform",
  rail: { title: "Terraform", icon: Blocks, to: "/terraform", order: 30, key: "t" },
  routes: [terraformsRoute, terraformRoute],
  finders: [{ group: "Terraform", find }],
  commands: [
    {
      id: "terraform-waiting",
      title: "Plans that wait for approval",
      group: "Terraform",
      words: "approve plan pending",
      icon: Blocks,
      run: (go) => go.to("/terraform", { q: "state:waiting" }),
    },
  ],
});
