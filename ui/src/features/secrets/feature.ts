import { KeyRound, LockKeyhole } from "lucide-react";
import { get } from "@/api/client";
import { feature, type Hit } from "@/app/feature";
import type { Listed } from "@/features/infra/model/listing";
import { SECRETS } from "./api";
import type { SecretRow } from "./model/wire";
import { STATE_WORDS } from "./model/words";
import { sealRoute, secretRoute, secretsRoute } from "./routes";

const MOST_HITS = 6;

async function find(text: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q: `name:"${text.replaceAll('"', "")}"`, limit: MOST_HITS };
  const { items } = await get<Listed<SecretRow>>(SECRETS, { query, signal });
  return items.map((row) => ({
    id: `secret-${row.kind}/${row.namespace}/${row.name}`,
    title: row.name,
    detail: `${row.kind} · ${row.namespace} · ${STATE_WORDS[row.state]}`,
    icon: KeyRound,
    run: (go) => go.to(`/secrets/${row.kind}/${row.namespace}/${row.name}`),
  }));
}

export default feature({
  id: "secrets",
  rail: { title: "Secrets", icon: KeyRound, to: "/secrets", order: 50, key: "s" },
  routes: [secretsRoute, sealRoute, secretRoute],
  finders: [{ group: "Secrets", find }],
  commands: [
    {
      id: "secrets-seal",
      title: "Seal a secret",
      group: "Secrets",
      words: "encrypt password kubeseal",
      icon: LockKeyhole,
      run: (go) => go.to("/secrets/seal"),
    },
    {
      id: "secrets-failing",
      title: "Failing secrets",
      group: "Secrets",
      words: "broken",
      icon: KeyRound,
      run: (go) => go.to("/secrets", { q: "state:wrong" }),
    },
  ],
});
