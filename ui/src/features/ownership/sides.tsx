import type { Claim, Owner } from "./model/wire";
import { ownerText, sidesOf } from "./model/words";

/** The sides of a conflict beside each other: who, where that is said, since when, and how each could give it up. */
export function Sides({ claims, owner }: { claims: readonly Claim[]; owner: Owner | null }) {
  return (
    <ul className="grid gap-2 md:grid-cols-2">
      {sidesOf(claims).map((claim) => (
        <li
          key={`${claim.owner.engine} ${claim.owner.name} ${claim.place}`}
          className="rounded-md border border-line bg-surface p-3 text-sm"
        >
          <p className="font-medium">{ownerText(claim.owner)}</p>
          {owner && <p className="text-soft">{isSame(claim.owner, owner) ? "has it" : "wants it, and is refused"}</p>}
          {claim.place && <p className="break-words text-soft">Said in {claim.place}</p>}
          {claim.said && <p className="break-words text-soft">{claim.said}</p>}
          {claim.since && <p className="text-soft">Since {claim.since}</p>}
          {claim.wayOut && (
            <p className="mt-2 break-words border-line border-t pt-2">
              <span className="text-soft">To give it up and not destroy it: </span>
              {claim.wayOut}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

const isSame = (one: Owner, other: Owner): boolean => one.engine === other.engine && one.name === other.name;
