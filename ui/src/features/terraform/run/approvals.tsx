import { Ago } from "@/kit/ago";
import type { Plan } from "../model/wire";
import { tallyOf, tallySentence } from "../model/words";

/** Who has said what about this very plan, and how many must. */
export function Approvals({ plan }: { plan: Plan }) {
  const tally = tallyOf(plan);
  return (
    <section aria-label="Approvals">
      <h2 className="mb-1 text-base font-semibold">Approvals</h2>
      <p className="text-sm">{tallySentence(tally)}</p>
      <ul className="mt-1 flex flex-col gap-1 text-sm">
        {plan.approvals.map((each) => (
          <li key={`${each.by} ${each.at}`} className="border-l-2 border-line pl-2.5">
            {each.by} {each.decision === "Reject" ? "rejected" : "approved"} <Ago at={each.at} />
            {each.comment && <p className="break-words text-soft">{each.comment}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
