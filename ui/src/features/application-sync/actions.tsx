import { CloudUpload, Ellipsis, RefreshCw } from "lucide-react";
import { useMemo } from "react";
import { toast } from "sonner";
import { useCommands } from "@/app/commands";
import type { ApplicationTabProps } from "@/app/feature";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { useApplication } from "@/features/application/api";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { Menu, MenuItem, MenuLine } from "@/kit/menu";
import { useRefreshing } from "./api";
import { automatic, noteOf, type OneApplication } from "./model/application";
import { idOf } from "./model/named";

/** What can be done with one application: look again, sync, turn automated syncs on or off, delete. */
export default function ApplicationActions({ namespace, name }: ApplicationTabProps) {
  const go = useGo();
  const id = idOf({ namespace, name });
  const application = useApplication(namespace, name).data as OneApplication | undefined;
  const { mutate, isPending } = useRefreshing({ namespace, name });
  const on = application !== undefined && automatic(application);
  const note = application && noteOf(application);
  const refresh = useMemo(
    () => (kind: "normal" | "hard") =>
      mutate(kind, {
        onSuccess: () => toast.success(`${name} was looked at anew`),
        onError: (error) => toast.error(`${name} was not looked at anew`, { description: error.message }),
      }),
    [mutate, name],
  );
  useKeys([
    { id: "application-sync", keys: "s", title: "Plan a sync", group: "Application", run: () => go.drawer("sync", id) },
    { id: "application-refresh", keys: "r", title: "Look again", group: "Application", run: () => refresh("normal") },
  ]);
  useCommands(
    useMemo(
      () => [
        {
          id: "application-sync",
          title: `Sync ${name}`,
          group: "Application",
          words: "deploy plan",
          run: () => go.drawer("sync", id),
        },
        {
          id: "application-refresh",
          title: `Look at ${name} again`,
          group: "Application",
          words: "refresh",
          run: () => refresh("normal"),
        },
        {
          id: "application-auto-sync",
          title: `Automated syncs of ${name}`,
          group: "Application",
          words: "pause",
          run: () => go.drawer("auto-sync", id),
        },
      ],
      [go, id, name, refresh],
    ),
  );
  return (
    <section aria-label={`Actions for ${name}`} className="flex flex-wrap items-center gap-2">
      <Button icon={CloudUpload} onClick={() => go.drawer("sync", id)}>
        Plan a sync
      </Button>
      <Button icon={RefreshCw} disabled={isPending} onClick={() => refresh("normal")}>
        {isPending ? "Looking again" : "Refresh"}
      </Button>
      <Menu label="More" icon={Ellipsis}>
        <MenuItem onSelect={() => refresh("hard")}>Hard refresh: render everything again</MenuItem>
        <MenuItem onSelect={() => go.drawer("auto-sync", id)}>Turn automated syncs {on ? "off" : "on"}…</MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => go.drawer("delete-application", id)}>Delete…</MenuItem>
      </Menu>
      <p className="text-sm text-soft">
        Automated syncs are {on ? "on" : "off"}
        {note && (
          <>
            : {note.reason} ({note.by}, <Ago at={note.at} />)
          </>
        )}
      </p>
    </section>
  );
}
