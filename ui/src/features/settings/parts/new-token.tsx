import { Copy } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/errors";
import { Button } from "@/kit/button";
import { copyText } from "@/kit/clipboard";
import { Dialog } from "@/kit/dialog";
import { Field } from "@/kit/field";
import type { NewToken } from "../api";
import { Select } from "./select";

const LIVES = [
  ["3600", "One hour"],
  ["86400", "One day"],
  ["2592000", "30 days"],
  ["31536000", "One year"],
  ["0", "Until it is revoked"],
] as const;

interface NewTokenProps {
  /** Whose it is: "the role deployer of production". */
  whose: string;
  issue: (wanted: NewToken) => Promise<{ token: string }>;
  onClose: () => void;
}

/** Makes a token and shows it, this once. */
export function NewTokenDialog({ whose, issue, onClose }: NewTokenProps) {
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState("");
  const [life, setLife] = useState<string>("2592000");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget).get("id")).trim();
    setFailure("");
    try {
      setToken((await issue({ id, expiresIn: Number(life) })).token);
    } catch (refused) {
      setFailure(refused instanceof ApiError ? refused.message : String(refused));
    }
  };
  if (token) return <OnceShown token={token} whose={whose} onClose={onClose} />;
  return (
    <Dialog title={`New token for ${whose}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Id, to tell it from others (may be empty)"
          name="id"
          maxLength={128}
          autoFocus
          error={failure || undefined}
        />
        <Select label="Valid for" value={life} options={LIVES} onChoose={setLife} />
        <Button type="submit" look="primary" className="self-end">
          Make the token
        </Button>
      </form>
    </Dialog>
  );
}

function OnceShown({ token, whose, onClose }: { token: string; whose: string; onClose: () => void }) {
  return (
    <Dialog
      title={`The token for ${whose}`}
      description="It is shown this once. Nobody can look it up later, and whoever has it can use it."
      onClose={onClose}
      footer={<Button onClick={onClose}>I have kept it</Button>}
    >
      <textarea
        aria-label="Token"
        readOnly
        rows={5}
        value={token}
        className="w-full rounded-md border border-edge bg-canvas p-2 font-mono text-xs"
      />
      <Button icon={Copy} look="primary" className="mt-2" onClick={() => void copyText(token, "Token")}>
        Copy the token
      </Button>
    </Dialog>
  );
}
