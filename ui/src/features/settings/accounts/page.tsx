import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CirclePause, KeyRound } from "lucide-react";
import { useState } from "react";
import { sessionQuery } from "@/api/session";
import { settingsQuery } from "@/api/settings";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { accountsQuery, issueAccountToken, revokeAccountToken } from "../api";
import { accountsYaml } from "../model/documents";
import { endText } from "../model/project";
import type { Account, AccountToken } from "../model/wire";
import { Confirm } from "../parts/confirm";
import { NewTokenDialog } from "../parts/new-token";
import { Title } from "../parts/title";
import { YamlPanel } from "../parts/yaml-panel";
import { PasswordDialog } from "./password";

type Open = { kind: "password" } | { kind: "token"; account: string } | { kind: "revoke"; account: string; id: string };

export default function AccountsPage() {
  const { data, error, isPending, refetch } = useQuery(accountsQuery);
  const session = useQuery(sessionQuery).data;
  const namespace = useQuery(settingsQuery).data?.controllerNamespace ?? "argocd";
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    void refetch();
  };
  if (isPending) return <Loading sentence="The accounts are on their way." />;
  if (error) return <Failed error={error} what="The accounts" onRetry={() => void refetch()} />;
  const own = data.some((each) => each.name === session?.username);
  return (
    <>
      <Title
        title="Accounts"
        about="Names that this installation itself knows. People of an identity provider are not among them."
      >
        {own && (
          <Button icon={KeyRound} onClick={() => setOpen({ kind: "password" })}>
            Change your password
          </Button>
        )}
        <CopyMenu command="plumb account list" />
      </Title>
      <ul className="flex flex-col gap-3">
        {data.map((account) => (
          <AccountItem key={account.name} account={account} you={account.name === session?.username} onOpen={setOpen} />
        ))}
      </ul>
      <YamlPanel what="the accounts" yaml={accountsYaml(data, namespace)} />
      {open?.kind === "password" && <PasswordDialog name={session?.username ?? ""} onClose={close} />}
      {open?.kind === "token" && (
        <NewTokenDialog
          whose={`the account ${open.account}`}
          issue={(wanted) => issueAccountToken(open.account, wanted)}
          onClose={close}
        />
      )}
      {open?.kind === "revoke" && (
        <Confirm
          title="Revoke this token?"
          verb="Revoke it"
          run={() => revokeAccountToken(open.account, open.id)}
          onClose={close}
        >
          <p className="break-all font-mono">{open.id}</p>
          <p>Whatever uses it is refused from now on. It cannot be brought back; another can be made.</p>
        </Confirm>
      )}
    </>
  );
}

function AccountItem({ account, you, onOpen }: { account: Account; you: boolean; onOpen: (open: Open) => void }) {
  const able = account.capabilities ?? [];
  return (
    <li className="rounded-md border border-line bg-surface p-3 text-sm">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">
          {account.name}
          {you && <span className="font-normal text-soft"> (you)</span>}
        </h3>
        {account.enabled ? (
          <StatusMark icon={CircleCheck} colour="text-healthy" word="Enabled" />
        ) : (
          <StatusMark icon={CirclePause} colour="text-suspended" word="Disabled" />
        )}
        <span className="flex-1 text-soft">{able.join(", ") || "able to nothing"}</span>
        {able.includes("apiKey") && (
          <Button onClick={() => onOpen({ kind: "token", account: account.name })}>
            New token<span className="sr-only"> for {account.name}</span>
          </Button>
        )}
      </div>
      {!able.includes("apiKey") && (
        <p className="text-soft">Tokens need the capability apiKey in accounts.{account.name} of argocd-cm.</p>
      )}
      <Tokens
        name={account.name}
        tokens={account.tokens ?? []}
        onRevoke={(id) => onOpen({ kind: "revoke", account: account.name, id })}
      />
    </li>
  );
}

function Tokens(props: { name: string; tokens: readonly AccountToken[]; onRevoke: (id: string) => void }) {
  if (props.tokens.length === 0) return null;
  return (
    <ul aria-label={`Tokens of ${props.name}`} className="mt-2 border-line border-t">
      {props.tokens.map(({ id, issuedAt, expiresAt }) => (
        <li key={id} className="flex flex-wrap items-center gap-3 border-line border-b py-1">
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{id}</span>
          <span className="text-soft">
            {issuedAt && <Ago at={new Date(issuedAt * 1000).toISOString()} />},{" "}
            {endText(expiresAt ? { exp: expiresAt } : {}, Date.now())}
          </span>
          <Button look="quiet" onClick={() => props.onRevoke(id)}>
            Revoke<span className="sr-only"> {id}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
