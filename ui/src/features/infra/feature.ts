import { Boxes } from "lucide-react";
import { get } from "@/api/client";
import { feature, type Hit } from "@/app/feature";
import { CLAIMS } from "./api";
import type { Listed } from "./model/listing";
import type { Claim } from "./model/wire";
import { claimAddress, stateWord } from "./model/words";
import { claimRoute, claimsRoute } from "./routes";

const MOST_HITS = 6;

async function find(text: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q: `name:"${text.replaceAll('"', "")}"`, limit: MOST_HITS };
  const { items } = await get<Listed<Claim>>(CLAIMS, { query, signal });
  return items.map((claim) => ({
    id: `claim-${claimAddress(claim)}`,
    title: claim.name,
    detail: [claim.kind, claim.namespace, stateWord(claim)].filter(Boolean).join(" · "),
    icon: Boxes,
    run: (go) => go.to(`/infra/${claimAddress(claim)}`),
  }));
}

export default feature({
  id: "infra",
  rail: { title: "Infra", icon: Boxes, to: "/infra", order: 20, key: "i" },
  routes: [claimsRoute, claimRoute],
  finders: [{ group: "Claims", find }],
  commands: [
    {
      id: "infra-failing",
      title: "Failing claims",
      group: "Infra",
      words: "broken degraded cloud error",
      icon: Boxes,
      run: (go) => go.to("/infra", { q: "state:wrong" }),
    },
  ],
});
