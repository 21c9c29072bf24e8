import { useState } from "react";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { Empty } from "@/kit/state";
import { issueRoleToken, revokeRoleToken } from "../api";
import { endText } from "../model/project";
import type { Role, Token } from "../model/wire";
import { Confirm } from "../parts/confirm";
import { NewTokenDialog } from "../parts/new-token";

interface RolesProps {
  project: string;
  roles: readonly Role[];
  onChanged: () => void;
}

type Open = { role: string; token?: Token };

export function Roles({ project, roles, onChanged }: RolesProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    onChanged();
  };
  if (roles.length === 0) return <Empty sentence="It has no roles: only policies of the installation count." />;
  return (
    <>
      <ul className="flex flex-col gap-3">
        {roles.map((role) => (
          <li key={role.name} className="rounded-md border border-line bg-surface p-3 text-sm">
            <RoleHead role={role} onNew={() => setOpen({ role: role.name })} />
            <TokenList role={role} onRevoke={(token) => setOpen({ role: role.name, token })} />
          </li>
        ))}
      </ul>
      {open && !open.token && (
        <NewTokenDialog
          whose={`the role ${open.role} of ${project}`}
          issue={(wanted) => issueRoleToken(project, open.role, wanted)}
          onClose={close}
        />
      )}
      {open?.token && <Revoke project={project} role={open.role} token={open.token} onClose={close} />}
    </>
  );
}

function RoleHead({ role, onNew }: { role: Role; onNew: () => void }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="font-semibold">{role.name}</h4>
        <span className="flex-1 text-soft">{role.description}</span>
        <Button onClick={onNew}>
          New token<span className="sr-only"> for {role.name}</span>
        </Button>
      </div>
      <p className="text-soft">Groups: {role.groups?.join(", ") || "none"}</p>
      <ul className="my-1 font-mono text-xs">
        {(role.policies ?? []).map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </>
  );
}

function TokenList({ role, onRevoke }: { role: Role; onRevoke: (token: Token) => void }) {
  const tokens = role.jwtTokens ?? [];
  if (tokens.length === 0) return <p className="text-soft">No tokens</p>;
  return (
    <ul aria-label={`Tokens of ${role.name}`} className="border-line border-t">
      {tokens.map((token) => (
        <li key={`${token.id} ${token.iat}`} className="flex flex-wrap items-center gap-3 border-line border-b py-1">
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{token.id || `issued ${token.iat}`}</span>
          <span className="text-soft">
            {token.iat && <Ago at={new Date(token.iat * 1000).toISOString()} />}, {endText(token, Date.now())}
          </span>
          <Button look="quiet" onClick={() => onRevoke(token)}>
            Revoke<span className="sr-only"> {token.id}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Revoke(props: { project: string; role: string; token: Token; onClose: () => void }) {
  const { project, role, token, onClose } = props;
  const run = () => revokeRoleToken(project, role, token.iat ?? 0, token.id ?? "");
  return (
    <Confirm title="Revoke this token?" verb="Revoke it" run={run} onClose={onClose}>
      <p className="break-all font-mono">{token.id || `issued ${token.iat}`}</p>
      <p>Whatever uses it is refused from now on. It cannot be brought back; another can be made.</p>
    </Confirm>
  );
}
