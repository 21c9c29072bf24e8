import { Pin as PinIcon } from "lucide-react";
import type { ApplicationTabProps } from "@/app/feature";
import { usePatching } from "@/features/application-sync/api";
import type { OneApplication } from "@/features/application-sync/model/application";
import { Button } from "@/kit/button";
import { shortRevision } from "./model/history";
import { PIN, pinHolds, pinOf } from "./model/rollback";

/** That the application is held in its past, until when, and the way back. */
export function PinBanner({ namespace, name, application }: ApplicationTabProps & { application: OneApplication }) {
  const patching = usePatching({ namespace, name });
  const pin = pinOf(application.metadata.annotations);
  if (!pin || !pinHolds(pin, Date.now())) return null;
  return (
    <section
      aria-label="Rollback"
      className="flex flex-wrap items-center gap-3 rounded-lg border border-outofsync bg-surface p-3"
    >
      <PinIcon aria-hidden size={16} className="text-outofsync" />
      <p className="flex-1">
        Held at {pin.revisions.map(shortRevision).join(", ")}{" "}
        {pin.until ? `until ${new Date(pin.until).toLocaleString()}` : "until the pin is taken away"}, whatever is newer
        in Git.
      </p>
      {patching.error && (
        <p role="alert" className="text-sm text-degraded">
          {patching.error.message}
        </p>
      )}
      <Button
        disabled={patching.isPending}
        onClick={() => patching.mutate({ metadata: { annotations: { [PIN]: null } } })}
      >
        Take the pin away
      </Button>
    </section>
  );
}
