import { useState } from "react";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { Command } from "@/kit/command-line";
import { Empty } from "@/kit/state";
import type { Decision, Plan } from "../model/wire";
import { shortDigest } from "../model/words";
import { Approvals } from "./approvals";
import { Decide } from "./decide";
import { PlanContents } from "./plan";
import { LongCommand } from "./terminal";

/** The plan that waits, and what can be said about it. Remembers which one was read, and tells when it is another. */
export function Waiting({ plan }: { plan: Plan }) {
  const [seen, setSeen] = useState(plan.digest);
  const [deciding, setDeciding] = useState<{ decision: Decision; plan: Plan }>();
  const [refused, setRefused] = useState(false);
  if (!seen && plan.digest) setSeen(plan.digest);
  const another = Boolean(seen && plan.digest && seen !== plan.digest);
  const dialog = deciding && (
    <Decide
      plan={deciding.plan}
      decision={deciding.decision}
      now={plan.digest}
      onClose={() => setDeciding(undefined)}
      onMoved={() => {
        setDeciding(undefined);
        setRefused(true);
      }}
    />
  );
  const moved = (refused || another) && (
    <Moved
      refused={refused}
      before={seen}
      now={plan.digest}
      onRead={() => {
        setRefused(false);
        setSeen(plan.digest);
      }}
    />
  );
  if (!plan.plan) {
    return (
      <>
        {moved}
        <Empty
          sentence="No plan waits."
          detail={plan.message}
          command={`plumb tf plan ${plan.name} -n ${plan.namespace}`}
        />
      </>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {moved}
      <section aria-label="The plan that waits" className="flex flex-col gap-2">
        <p className="text-sm">
          Plan <code className="font-mono">{plan.plan}</code>
          {plan.revision && (
            <>
              {" "}
              of <code className="font-mono break-all">{plan.revision}</code>
            </>
          )}
          {plan.madeAt && (
            <>
              , made <Ago at={plan.madeAt} />
            </>
          )}
          {plan.tool && ` by version ${plan.tool}`}
        </p>
        {plan.digest ? (
          <p className="text-sm">
            Digest <code className="font-mono text-xs break-all">{plan.digest}</code>
          </p>
        ) : (
          <p className="text-sm text-outofsync">Its digest is not known here, so it cannot be approved here.</p>
        )}
        {plan.drift && <p className="text-sm text-outofsync">It would undo what was changed outside.</p>}
        <Buttons plan={plan} onDecide={(decision) => setDeciding({ decision, plan })} blocked={another} />
      </section>
      <Approvals plan={plan} />
      <PlanContents plan={plan} />
      {plan.commands && (
        <section aria-label="In a terminal" className="flex flex-col items-start gap-2">
          <h2 className="text-base font-semibold">In a terminal</h2>
          <Command line={plan.commands.show} />
          <LongCommand line={plan.commands.approve} />
        </section>
      )}
      {dialog}
    </div>
  );
}

interface ButtonsProps {
  plan: Plan;
  blocked: boolean;
  onDecide: (decision: Decision) => void;
}

function Buttons({ plan, blocked, onDecide }: ButtonsProps) {
  const { approve = false, reject = false } = plan.may ?? {};
  if (!plan.digest) return null;
  if (!approve && !reject) {
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
        You may look at it; others decide.
        <Command line={`plumb account can-i approve terraform '${plan.namespace}/${plan.name}'`} />
      </div>
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      {approve && (
        <Button look="primary" disabled={blocked} onClick={() => onDecide("approve")}>
          Approve…
        </Button>
      )}
      {reject && (
        <Button look="danger" disabled={blocked} onClick={() => onDecide("reject")}>
          Reject…
        </Button>
      )}
    </div>
  );
}

interface MovedProps {
  refused: boolean;
  before: string;
  now: string;
  onRead: () => void;
}

/** The world moved between reading and saying. */
function Moved({ refused, before, now, onRead }: MovedProps) {
  return (
    <div role="alert" className="rounded-lg border-2 border-outofsync p-3 text-sm">
      <p className="font-medium">
        {refused
          ? "The world has moved: nothing was said about the plan that you read."
          : "Another plan waits than the one that you read."}
      </p>
      <p>
        You read <code className="font-mono">{shortDigest(before)}</code>.{" "}
        {now === before && "What waits now is on its way."}
        {!now && "None waits any more."}
        {now && now !== before && (
          <>
            Now <code className="font-mono">{shortDigest(now)}</code> waits, which is shown here.
          </>
        )}
      </p>
      <Button className="mt-2" onClick={onRead}>
        I am reading this one
      </Button>
    </div>
  );
}
