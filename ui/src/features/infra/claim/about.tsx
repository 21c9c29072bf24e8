import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "@/kit/ago";
import { definitionQuery } from "../api";
import type { ClaimEvent, ClaimPage } from "../model/wire";
import { Fact } from "./details";

/** What a claim says of itself beside its parts: how to connect, who delivers it, what happened. */
export function About({ claim }: { claim: ClaimPage }) {
  const { data: definition } = useQuery(definitionQuery(claim));
  const keys = definition?.connectionKeys ?? [];
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <section aria-label="About the claim">
        <h2 className="mb-2 text-base font-semibold">About the claim</h2>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 text-sm">
          {claim.composition && <Fact title="Composition">{claim.composition}</Fact>}
          {claim.composite && <Fact title="Composite">{claim.composite}</Fact>}
          <Fact title="Connection Secret">
            {claim.connectionSecret || <span className="text-soft">It asks for none.</span>}
          </Fact>
          {keys.length > 0 && (
            <Fact title="Its keys">
              <code className="font-mono break-all">{keys.join(", ")}</code>
              <span className="block text-xs text-soft">Names only: values stay in the Secret.</span>
            </Fact>
          )}
          {claim.application && (
            <Fact title="Delivered by">
              <Link to="/applications/$namespace/$name" params={claim.application} className="underline">
                {claim.application.name}
              </Link>
            </Fact>
          )}
          {claim.createdAt && (
            <Fact title="Claimed">
              <Ago at={claim.createdAt} />
            </Fact>
          )}
        </dl>
      </section>
      <Events events={claim.events} unread={claim.eventsUnread} />
    </div>
  );
}

function Events({ events, unread }: { events: readonly ClaimEvent[]; unread: string | undefined }) {
  return (
    <section aria-label="Events">
      <h2 className="mb-2 text-base font-semibold">Events</h2>
      {unread ? (
        <p className="text-sm break-words text-degraded">They could not be read: {unread}</p>
      ) : (
        events.length === 0 && <p className="text-sm text-soft">The cluster remembers none.</p>
      )}
      <ol className="flex flex-col gap-2 text-sm">
        {events.map((event, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no name, and come as one list
          <li key={place} className="border-l-2 border-line pl-2.5">
            <p className={event.type === "Warning" ? "text-degraded" : ""}>
              {event.type === "Warning" ? "Warning: " : ""}
              {event.reason} {(event.count ?? 1) > 1 && <span className="text-soft">{event.count} times</span>}{" "}
              <span className="text-xs text-soft">
                <Ago at={event.lastTimestamp ?? ""} />
              </span>
            </p>
            <p className="break-words text-soft">{event.message}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
