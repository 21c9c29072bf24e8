import { type ReactNode, useState } from "react";
import { ApiError } from "@/api/errors";
import { Button } from "@/kit/button";
import { Dialog } from "@/kit/dialog";

interface ConfirmProps {
  title: string;
  /** What it means, in full, before it is done. */
  children: ReactNode;
  verb: string;
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks once more, and stays open with the reason where it is refused. */
export function Confirm({ title, children, verb, run, onClose }: ConfirmProps) {
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);
  const confirmed = async () => {
    setPending(true);
    try {
      await run();
      onClose();
    } catch (refused) {
      setFailure(refused instanceof ApiError ? refused.message : String(refused));
      setPending(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="danger" disabled={pending} onClick={() => void confirmed()}>
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <div className="flex flex-col gap-2 text-sm">{children}</div>
      {failure && (
        <p role="alert" className="mt-3 text-degraded text-sm">
          {failure}
        </p>
      )}
    </Dialog>
  );
}
