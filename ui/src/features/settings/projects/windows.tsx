import { useQuery } from "@tanstack/react-query";
import { CircleDashed, DoorClosed, DoorOpen } from "lucide-react";
import { StatusMark } from "@/kit/status";
import { openWindowsQuery } from "../api";
import type { SyncWindow } from "../model/wire";

interface WindowsProps {
  project: string;
  windows: readonly SyncWindow[];
}

/** When syncs are allowed or denied, with which of them count now. */
export function Windows({ project, windows }: WindowsProps) {
  const open = useQuery({ ...openWindowsQuery(project), enabled: windows.length > 0 });
  if (windows.length === 0) return <p className="text-sm text-soft">None: syncs are allowed at any time.</p>;
  const now = new Set((open.data ?? []).map(keyOf));
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {windows.map((each) => (
        <li key={keyOf(each)} className="flex flex-wrap gap-x-4 rounded-md border border-line bg-surface px-3 py-2">
          <WindowMark window={each} counts={open.data ? now.has(keyOf(each)) : undefined} />
          <span className="font-mono">{each.schedule}</span>
          <span>
            for {each.duration}
            {each.timeZone ? `, ${each.timeZone}` : ", UTC"}
          </span>
          <span className="flex-1 text-soft">{scope(each)}</span>
          <span className="text-soft">{each.manualSync ? "people may sync all the same" : ""}</span>
        </li>
      ))}
    </ul>
  );
}

function WindowMark({ window, counts }: { window: SyncWindow; counts: boolean | undefined }) {
  const verb = window.kind === "deny" ? "Denies" : "Allows";
  if (counts === undefined) return <StatusMark icon={CircleDashed} colour="text-soft" word={verb} />;
  if (!counts) return <StatusMark icon={DoorClosed} colour="text-soft" word={`${verb}, not now`} />;
  return (
    <StatusMark
      icon={DoorOpen}
      colour={window.kind === "deny" ? "text-outofsync" : "text-healthy"}
      word={`${verb} now`}
    />
  );
}

function scope({ applications = [], namespaces = [], clusters = [] }: SyncWindow): string {
  const parts = [
    applications.length > 0 && `applications ${applications.join(", ")}`,
    namespaces.length > 0 && `namespaces ${namespaces.join(", ")}`,
    clusters.length > 0 && `clusters ${clusters.join(", ")}`,
  ];
  return parts.filter(Boolean).join("; ");
}

const keyOf = (window: SyncWindow): string =>
  JSON.stringify([window.kind, window.schedule, window.duration, window.timeZone, scope(window)]);
