import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleDot } from "lucide-react";
import { Ago } from "@/kit/ago";
import { Empty, Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { eventsQuery } from "../api";
import { latestFirst } from "../model/events";
import type { Address } from "../model/resource";

/** What happened to it, the latest first. */
export function Events({ address, uid }: { address: Address; uid: string }) {
  const { data, error, isPending, refetch } = useQuery({ ...eventsQuery(address, uid), enabled: uid !== "" });
  if (!uid) return <Empty sentence="It is not there, so nothing can have happened to it." />;
  if (isPending) return <Loading sentence="Its events are on their way." />;
  if (error && !data) return <Failed error={error} what="Its events" onRetry={() => void refetch()} />;
  if (data.length === 0) {
    const place = address.namespace ? ` -n ${address.namespace}` : "";
    return (
      <Empty
        sentence="Nothing has happened to it lately; clusters forget events after an hour."
        command={`plumb events ${address.kind}/${address.name}${place}`}
      />
    );
  }
  return (
    <ul aria-label="Events" className="flex flex-col divide-y divide-line text-sm">
      {latestFirst(data).map((event) => (
        <li key={event.id} className="flex flex-col gap-0.5 py-2">
          <span className="flex items-center gap-3">
            <StatusMark
              icon={event.warning ? CircleAlert : CircleDot}
              colour={event.warning ? "text-missing" : "text-soft"}
              word={event.reason}
            />
            {event.count > 1 && <span className="text-soft">{event.count} times</span>}
            <span className="flex-1" />
            <Ago at={event.at} />
          </span>
          <span className="break-words">{event.message}</span>
          {event.by && <span className="text-xs text-soft">{event.by}</span>}
        </li>
      ))}
    </ul>
  );
}
