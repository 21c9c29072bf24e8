import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { plural } from "@/features/infra/model/listing";
import { Ago } from "@/kit/ago";
import { Command } from "@/kit/command-line";
import { keysQuery } from "./api";

/** How old the sealing key is, and a warning for as long as keys exist nowhere but in the cluster. Not for everybody to see. */
export function SealingKeys() {
  const { data } = useQuery(keysQuery);
  if (!data) return null;
  const newest = data.items.find((key) => key.newest);
  return (
    <section aria-label="Sealing keys" className="border-b border-line px-4 py-2 text-sm">
      {data.warning && (
        <div role="alert" className="mb-1 flex flex-wrap items-center gap-2 text-degraded">
          <TriangleAlert aria-hidden size={16} />
          <span>{data.warning}.</span>
          <Command line={data.command ?? "plumb keys export"} />
        </div>
      )}
      {newest ? (
        <p className="text-soft">
          The key that seals was made <Ago at={newest.madeAt} />
          {newest.exportedAt && (
            <>
              {" "}
              and put aside <Ago at={newest.exportedAt} />
            </>
          )}
          . {plural(data.items.length, "key")} can open what is sealed.{" "}
          <code className="font-mono text-xs break-all">{newest.fingerprint}</code>
        </p>
      ) : (
        <p className="text-soft">There is no sealing key yet; one is made when the first is asked for.</p>
      )}
    </section>
  );
}
