import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/kit/ago";
import { Empty, Failed, Loading } from "@/kit/state";
import { certificateQuery } from "../api";
import { canSeal } from "../model/envelope";
import { type Result, sealedResult, type Wish } from "../model/manifest";
import type { Certificate } from "../model/wire";
import { SealForm } from "./form";
import { SealedResult } from "./result";

/** Seals in this page. The certificate is the only thing that is asked for, and nothing is sent. */
export default function SealPage() {
  const { data, error, isPending, refetch } = useQuery(certificateQuery);
  return (
    <div className="h-full overflow-auto">
      <header className="border-b border-line px-4 py-2.5">
        <h1 className="text-lg font-semibold">Seal a secret</h1>
        <p className="text-sm text-soft">
          Values are encrypted in this page and do not leave it in the clear. What comes out can be committed.
        </p>
      </header>
      {!canSeal() && (
        <Empty
          sentence="This browser keeps its cryptography from pages that came over a plain connection."
          detail="Open the page by https or on the machine itself, or seal in a terminal."
          command="plumb seal --help"
        />
      )}
      {canSeal() && isPending && <Loading sentence="The certificate to seal against is on its way." />}
      {canSeal() && error && !data && (
        <Failed error={error} what="The certificate to seal against" onRetry={() => void refetch()} />
      )}
      {canSeal() && data && <Sealing certificate={data} />}
    </div>
  );
}

function Sealing({ certificate }: { certificate: Certificate }) {
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState("");
  if (certificate.expired) {
    return (
      <Empty sentence="The sealing certificate has expired: nothing is sealed against it." command="plumb keys renew" />
    );
  }
  const seal = async (wish: Wish): Promise<boolean> => {
    setFailure("");
    try {
      setResult(await sealedResult(wish, certificate));
      return true;
    } catch (fault) {
      setFailure(fault instanceof Error ? fault.message : String(fault));
      return false;
    }
  };
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <div>
        <SealForm onSeal={seal} />
        {failure && (
          <p role="alert" className="mt-3 text-sm text-degraded">
            It could not be sealed: {failure}.
          </p>
        )}
        <p className="mt-4 text-xs text-soft">
          Sealed against a key of {certificate.bits} bits, made <Ago at={certificate.madeAt} />:{" "}
          <code className="font-mono break-all">{certificate.fingerprint}</code>
        </p>
      </div>
      {result && <SealedResult result={result} />}
    </div>
  );
}
