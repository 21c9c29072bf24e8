import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { ApiError } from "@/api/errors";
import { Button } from "@/kit/button";
import { Dialog } from "@/kit/dialog";
import { Field } from "@/kit/field";
import { changePassword } from "../api";

/** One's own password. All other sessions end with it. */
export function PasswordDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [failure, setFailure] = useState("");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget);
    const [current, wanted, again] = ["current", "wanted", "again"].map((field) => String(said.get(field)));
    if (wanted !== again) {
      setFailure("The two new passwords differ.");
      return;
    }
    try {
      await changePassword(name, current ?? "", wanted ?? "");
      toast.success("Your password is changed; all other sessions have ended");
      onClose();
    } catch (refused) {
      setFailure(
        refused instanceof ApiError ? [refused.message, refused.hint].filter(Boolean).join(". ") : String(refused),
      );
    }
  };
  return (
    <Dialog
      title="Change your password"
      description="Wherever else you are logged in, you will not be."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <input type="hidden" name="username" autoComplete="username" value={name} />
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <Field label="New password" name="wanted" type="password" autoComplete="new-password" required />
        <Field
          label="New password again"
          name="again"
          type="password"
          autoComplete="new-password"
          required
          error={failure || undefined}
        />
        <Button type="submit" look="primary" className="self-end">
          Change it
        </Button>
      </form>
    </Dialog>
  );
}
