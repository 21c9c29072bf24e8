import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useMemo } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { useApplication } from "@/features/application/api";
import { everyBranch } from "@/graph/forest";
import { Failed, Loading, NotThere } from "@/kit/state";
import { HealthStatus, SyncStatus } from "@/kit/status";
import { linksQuery, manifestQuery, useTree } from "../api";
import { whyCommand } from "../model/commands";
import { type Address, addressOf, refKey } from "../model/resource";
import { treeOf } from "../model/tree";
import { ActionsMenu } from "./actions-menu";
import { CopyResource } from "./copy";
import { Events } from "./events";
import { Family } from "./family";
import { Manifest } from "./manifest";
import { Summary } from "./summary";

const PARTS = [
  { id: "summary", title: "Summary", key: "" },
  { id: "yaml", title: "YAML", key: "y" },
  { id: "events", title: "Events", key: "e" },
  { id: "family", title: "Belongs to", key: "" },
] as const;

/** One object, whatever page is behind. Which part is open is in the address. */
export default function ResourceDrawer({ id }: { id: string }) {
  const address = useMemo(() => addressOf(id), [id]);
  if (!address) return <NotThere sentence={`${id} names no object.`} command="plumb get --help" />;
  return <Opened address={address} />;
}

function Opened({ address }: { address: Address }) {
  const application = useApplication(address.appNamespace, address.app);
  const tree = useTree(address.appNamespace, address.app);
  const manifest = useQuery(manifestQuery(address));
  const links = useQuery(linksQuery(address));
  const [part, setPart] = usePart();
  const whole = useMemo(
    () => (application.data && tree.data ? treeOf(application.data, tree.data) : undefined),
    [application.data, tree.data],
  );
  const error = application.error ?? tree.error;
  if (error && !whole) return <Failed error={error} what="The object" onRetry={() => void tree.refetch()} />;
  if (!whole) return <Loading sentence="The object is on its way." />;
  const branch = everyBranch(whole).find((each) => each.object.key === refKey(address));
  if (!branch) {
    return (
      <NotThere
        sentence={`${address.app} has no ${address.kind} ${address.name} any more, or never had one.`}
        command={whyCommand(address)}
      />
    );
  }
  const { object } = branch;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {object.health && <HealthStatus status={object.health} />}
        {object.sync && <SyncStatus status={object.sync} />}
        <span className="flex-1" />
        <CopyResource address={address} manifest={manifest.data} />
        <ActionsMenu address={address} branch={branch} />
      </div>
      {object.message && <p className="text-sm break-words text-degraded">{object.message}</p>}
      <Tabs.Root value={part} onValueChange={setPart}>
        <Tabs.List aria-label="Parts of the object" className="mb-3 flex gap-1 border-b border-line">
          {PARTS.map(({ id, title }) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="h-8 border-b-2 border-transparent px-3 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              {title}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="summary">
          <Summary resource={object} manifest={manifest.data} links={links.data ?? []} />
        </Tabs.Content>
        <Tabs.Content value="yaml">
          <Manifest query={manifest} />
        </Tabs.Content>
        <Tabs.Content value="events">
          <Events address={address} uid={object.uid} />
        </Tabs.Content>
        <Tabs.Content value="family">
          <Family address={address} whole={whole} branch={branch} />
        </Tabs.Content>
      </Tabs.Root>
    </div>
  );
}

function usePart(): [part: string, setPart: (part: string) => void] {
  const { part } = useSearch({ strict: false }) as { part?: unknown };
  const navigate = useNavigate();
  const setPart = (next: string) =>
    void navigate({
      to: ".",
      replace: true,
      search: (before: object) => ({ ...before, part: next === "summary" ? undefined : next }),
    });
  useKeys(
    PARTS.filter((each) => each.key).map((each) => ({
      id: `resource-${each.id}`,
      keys: each.key,
      title: each.title,
      group: "Object",
      inDialogs: true,
      run: () => setPart(each.id),
    })),
  );
  return [PARTS.some((each) => each.id === part) ? String(part) : "summary", setPart];
}
