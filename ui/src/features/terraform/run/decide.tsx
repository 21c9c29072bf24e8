import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toast } from "sonner";
import { ApiError } from "@/api/errors";
import { plural } from "@/features/infra/model/listing";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { Dialog } from "@/kit/dialog";
import { decide, TERRAFORMS } from "../api";
import type { Decision, Plan } from "../model/wire";
import { isGrave, rejectCommand, shortDigest } from "../model/words";
import { LongCommand } from "./terminal";

const LONGEST_COMMENT = 2000;

interface DecideProps {
  /** The plan as it was when somebody began to decide. */
  plan: Plan;
  decision: Decision;
  /** The digest of the plan that waits now. */
  now: string;
  onClose: () => void;
  /** Another plan waits: nothing was said about it. */
  onMoved: () => void;
}

/** Yes or no to one plan, by its digest. The more would be lost, the more there is to confirm. */
export function Decide({ plan, decision, now, onClose, onMoved }: DecideProps) {
  const queryClient = useQueryClient();
  const [comment, setComment] = useState("");
  const [aware, setAware] = useState(false);
  const commentId = useId();
  const grave = (plan.dangers ?? []).filter(isGrave);
  const asksAware = decision === "approve" && (grave.length > 0 || plan.destroys === true);
  const moved = now !== plan.digest;
  const saying = useMutation({
    mutationFn: () => decide(plan.namespace, plan.name, decision, plan.digest, comment.trim()),
    onSuccess: () => {
      toast.success(`Plan ${shortDigest(plan.digest)} ${decision === "approve" ? "approved" : "rejected"}`);
      onClose();
    },
    onError: (refusal) => {
      if (refusal instanceof ApiError && refusal.status === 409) onMoved();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [TERRAFORMS] }),
  });
  const title = `${decision === "approve" ? "Approve" : "Reject"} plan ${shortDigest(plan.digest)}`;
  return (
    <Dialog
      title={title}
      description={`This is about the plan of ${plan.namespace}/${plan.name} that you have seen, and about no other.`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Leave it open</Button>
          <Button
            look={decision === "approve" ? "primary" : "danger"}
            disabled={moved || saying.isPending || (asksAware && !aware)}
            onClick={() => saying.mutate()}
          >
            {decision === "approve" ? "Approve this plan" : "Reject this plan"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>{plan.headline}</p>
        <p>
          Digest <code className="font-mono text-xs break-all">{plan.digest}</code>
        </p>
        {grave.length > 0 && (
          <ul className="list-disc pl-6 text-degraded">
            {grave.map((danger) => (
              <li key={danger.sentence}>{danger.sentence}</li>
            ))}
          </ul>
        )}
        {asksAware && (
          <Checkbox
            label={grave.length > 0 ? `I have read ${plural(grave.length, "danger")}` : "I know that everything goes"}
            checked={aware}
            onToggle={setAware}
          />
        )}
        <div className="flex flex-col gap-1">
          <label htmlFor={commentId} className="font-medium">
            Comment
          </label>
          <textarea
            id={commentId}
            rows={3}
            maxLength={LONGEST_COMMENT}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
            className="rounded-md border border-edge bg-surface p-2 text-ink"
          />
        </div>
        {moved && (
          <p role="alert" className="text-degraded">
            Another plan waits by now. Close this and look at it.
          </p>
        )}
        {saying.error && !moved && (
          <p role="alert" className="text-degraded">
            {saying.error.message}
          </p>
        )}
        <p className="text-soft">In a terminal:</p>
        <LongCommand line={decision === "approve" ? (plan.commands?.approve ?? "") : rejectCommand(plan)} />
      </div>
    </Dialog>
  );
}
