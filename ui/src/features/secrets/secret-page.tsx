import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Listening } from "@/features/infra/api";
import { Ago } from "@/kit/ago";
import { Command } from "@/kit/command-line";
import { CopyMenu } from "@/kit/copy-menu";
import { Failed, Loading } from "@/kit/state";
import { SECRETS, secretQuery } from "./api";
import type { SecretPage } from "./model/wire";
import { missingKeys, originOf, setCommand, unusedKeys, usageOf } from "./model/words";
import { secretRoute } from "./routes";
import { SecretMark } from "./state";

const ABOUT = [SECRETS];

export default function OneSecretPage() {
  const { kind, namespace, name } = secretRoute.useParams();
  const { data, error, isPending, dataUpdatedAt, refetch } = useQuery(secretQuery(kind, namespace, name));
  const go = useGo();
  useKeys([
    { id: "secret-back", keys: "Escape", title: "Back to the list", group: "Secret", run: () => go.to("/secrets") },
  ]);
  return (
    <div className="flex h-full flex-col">
      <Listening topic={SECRETS} about={ABOUT} />
      <header className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-2.5">
        <h1 className="text-lg font-semibold">{name}</h1>
        {data && <SecretMark state={data.state} />}
        <span className="flex-1 truncate text-sm text-soft">
          {kind} · {namespace}
        </span>
        {dataUpdatedAt > 0 && (
          <span className="text-xs text-soft">
            Updated <Ago at={new Date(dataUpdatedAt).toISOString()} />
          </span>
        )}
        <CopyMenu command={kind === "SealedSecret" ? setCommand({ namespace, name }) : undefined} />
      </header>
      {isPending && <Loading sentence={`${name} is on its way.`} />}
      {error && !data && <Failed error={error} what={name} onRetry={() => void refetch()} />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section tabIndex={0} aria-label={name} className="min-h-0 flex-1 overflow-auto p-4">
          <p className={`mb-4 text-base break-words ${data.state === "wrong" ? "text-degraded" : ""}`}>{data.said}</p>
          <div className="grid gap-6 lg:grid-cols-2">
            <Keys of={data} />
            <About of={data} />
            <UsedBy of={data} />
          </div>
        </section>
      )}
    </div>
  );
}

function Keys({ of }: { of: SecretPage }) {
  const missing = missingKeys(of, of.usedBy);
  const unused = new Set(unusedKeys(of, of.usedBy));
  const sealed = of.kind === "SealedSecret";
  return (
    <section aria-label="Keys">
      <h2 className="mb-1.5 text-base font-semibold">Keys</h2>
      <p className="mb-1 text-xs text-soft">Names only: nobody is shown a value.</p>
      <ul className="flex flex-col gap-1 text-sm">
        {of.keys.map((key) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3">
            <code className="font-mono break-all">{key}</code>
            {unused.has(key) && <span className="text-xs text-soft">nobody names it</span>}
            {sealed && <SealLink of={of} sealed={key} />}
          </li>
        ))}
        {missing.map((key) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 text-degraded">
            <code className="font-mono break-all">{key}</code> is used and not there
            {sealed && <SealLink of={of} sealed={key} />}
          </li>
        ))}
      </ul>
      {of.moreKeys && <p className="mt-1 text-sm text-soft">And whatever else the store has.</p>}
      {sealed && (
        <div className="mt-3 flex flex-col items-start gap-2">
          <Command line={setCommand(of)} />
        </div>
      )}
    </section>
  );
}

function SealLink({ of, sealed }: { of: SecretPage; sealed: string }) {
  return (
    <Link
      to="/secrets/seal"
      search={{
        namespace: of.namespace,
        name: of.name,
        key: sealed,
        ...(of.scope && of.scope !== "strict" ? { scope: of.scope } : {}),
      }}
      className="inline-flex min-h-6 items-center text-accent underline"
    >
      Set anew<span className="sr-only"> the key {sealed}</span>
    </Link>
  );
}

function About({ of }: { of: SecretPage }) {
  return (
    <section aria-label="About the secret">
      <h2 className="mb-1.5 text-base font-semibold">About the secret</h2>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 text-sm">
        <dt className="text-soft">Comes from</dt>
        <dd>{originOf(of)}</dd>
        <dt className="text-soft">Becomes</dt>
        <dd>
          Secret {of.secret}, which is {of.secretExists ? "there" : "not there"}
        </dd>
        {of.refreshedAt && (
          <>
            <dt className="text-soft">Fetched</dt>
            <dd>
              <Ago at={of.refreshedAt} />
            </dd>
          </>
        )}
        {of.key && (
          <>
            <dt className="text-soft">Sealed with</dt>
            <dd>
              {of.key.known ? (
                <>
                  a key made <Ago at={of.key.madeAt} />
                  {of.key.newest ? ", the newest" : ", which is not the newest: plumb secret rotate seals it again"}
                </>
              ) : (
                "a key that is not here"
              )}
              <code className="block font-mono text-xs break-all text-soft">{of.key.fingerprint}</code>
            </dd>
          </>
        )}
        {of.application && (
          <>
            <dt className="text-soft">Delivered by</dt>
            <dd>
              <Link to="/applications/$namespace/$name" params={of.application} className="underline">
                {of.application.name}
              </Link>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function UsedBy({ of }: { of: SecretPage }) {
  return (
    <section aria-label="Who uses it">
      <h2 className="mb-1.5 text-base font-semibold">Who uses it</h2>
      <ul className="flex flex-col gap-1 text-sm">
        {of.usedBy.map((use) => (
          <li key={usageOf(use)}>{usageOf(use)}</li>
        ))}
      </ul>
      {of.usedBy.length === 0 && <p className="text-sm text-soft">Nothing in its namespace names it.</p>}
      {of.unseen.length > 0 && (
        <p className="mt-1 text-sm text-outofsync">Could not be looked at: {of.unseen.join(", ")}.</p>
      )}
    </section>
  );
}
