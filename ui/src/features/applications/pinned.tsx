import { useQuery } from "@tanstack/react-query";
import { PinOff } from "lucide-react";
import { IconButton } from "@/kit/button";
import { HealthStatus, SyncStatus } from "@/kit/status";
import { useStore } from "@/kit/use-store";
import { rowsQuery } from "./api";
import { ApplicationLink } from "./list/row";
import { pins, togglePin } from "./stores";

const MOST_FOUND = 200;

/** What somebody pinned, whatever the list below is filtered by. */
export function Pinned() {
  const pinned = useStore(pins);
  const names = [...new Set(pinned.map((key) => key.slice(key.indexOf("/") + 1)))].sort();
  const question = { q: `name:${names.join(",")}`, order: "" };
  const { data } = useQuery({ ...rowsQuery(question, MOST_FOUND), enabled: names.length > 0 });
  if (pinned.length === 0) return null;
  return (
    <section aria-label="Pinned applications" className="border-b border-line px-4 py-2">
      <ul className="flex gap-2 overflow-x-auto">
        {pinned.map((key) => {
          const row = data?.rows.find((each) => each.key === key);
          return (
            <li
              key={key}
              className="flex shrink-0 items-center gap-3 rounded-md border border-line bg-surface py-0.5 pr-1 pl-3 text-sm"
            >
              {row ? <ApplicationLink row={row} /> : <span className="text-soft">{key}</span>}
              {row && <HealthStatus status={row.health} why={row.healthMessage || undefined} />}
              {row && <SyncStatus status={row.sync} />}
              {data && !row && <span className="text-soft">cannot be found</span>}
              <IconButton icon={PinOff} label={`Unpin ${key}`} className="size-7" onClick={() => togglePin(key)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
