import { type FormEvent, useState } from "react";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { Dialog } from "@/kit/dialog";
import { Field, INPUT } from "@/kit/field";
import { connecting } from "../api";
import { connect, hasCredentials, type Step, type Wanted } from "../model/connection";
import type { Repository } from "../model/wire";
import { Select } from "../parts/select";
import { Steps } from "./steps";

const TYPES = [
  ["git", "Git"],
  ["helm", "Helm, or charts in an OCI registry"],
  ["oci", "OCI artifacts"],
] as const;

/** Connects one, or replaces what is registered for an address, and says how far it got. */
export function RepositoryDialog({ known, onClose }: { known: Repository | undefined; onClose: () => void }) {
  const [steps, setSteps] = useState<Step[]>([]);
  const [done, setDone] = useState(false);
  const [failure, setFailure] = useState("");
  const [type, setType] = useState<string>(known?.type ?? "git");
  const [switches, setSwitches] = useState({
    insecure: known?.insecure ?? false,
    enableLfs: known?.enableLfs ?? false,
    enableOCI: known?.enableOCI ?? false,
    without: false,
  });
  const owned = known !== undefined && !known.inheritedCreds;

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { without, ...chosen } = switches;
    const wanted: Wanted = { ...typed(event.currentTarget), type, ...chosen };
    if (owned && !without && !hasCredentials(wanted)) {
      setFailure("It has credentials, and saving replaces all of it. Type them again, or choose to go without.");
      return;
    }
    setFailure("");
    setDone(await connect(connecting, wanted, setSteps));
  };
  const flip = (name: keyof typeof switches) => (checked: boolean) => setSwitches({ ...switches, [name]: checked });

  return (
    <Dialog
      title={known ? "Replace what is registered" : "Connect a repository"}
      description={
        known ? `${known.repo}. Credentials are never shown, here or anywhere.` : "Nothing is kept unless it answers."
      }
      onClose={onClose}
      footer={done && <Button onClick={onClose}>Done</Button>}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Address"
          name="url"
          required
          readOnly={known !== undefined}
          defaultValue={known?.repo}
          placeholder="https://git.example.org/shop.git"
          autoFocus={!known}
        />
        <Select label="Type" value={type} options={TYPES} onChoose={setType} />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Name (Helm needs one)" name="name" defaultValue={known?.name} />
          <Field
            label="Only for project (empty for all)"
            name="project"
            defaultValue={known?.project}
            readOnly={known !== undefined}
          />
        </div>
        <Credentials error={failure} />
        <div className="flex flex-col gap-1">
          {owned && (
            <Checkbox label="Without credentials from now on" checked={switches.without} onToggle={flip("without")} />
          )}
          <Checkbox
            label="Do not check its certificate or host key"
            checked={switches.insecure}
            onToggle={flip("insecure")}
          />
          {type === "git" && (
            <Checkbox label="Fetch large files (LFS)" checked={switches.enableLfs} onToggle={flip("enableLfs")} />
          )}
          {type === "helm" && (
            <Checkbox label="Charts are in an OCI registry" checked={switches.enableOCI} onToggle={flip("enableOCI")} />
          )}
        </div>
        <Button type="submit" look="primary" className="self-end">
          Test and save
        </Button>
      </form>
      <Steps steps={steps} />
    </Dialog>
  );
}

function Credentials({ error }: { error: string }) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">What opens it (one of these, or nothing)</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="User name" name="username" autoComplete="off" />
        <Field
          label="Password or token"
          name="password"
          type="password"
          autoComplete="new-password"
          error={error || undefined}
        />
      </div>
      <Field label="Bearer token" name="bearerToken" type="password" autoComplete="new-password" />
      <label className="flex flex-col gap-1 font-medium text-sm">
        SSH private key
        <textarea
          name="sshPrivateKey"
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className={`${INPUT} h-auto py-2 font-mono text-xs`}
        />
      </label>
    </fieldset>
  );
}

function typed(form: HTMLFormElement): Omit<Wanted, "type" | "insecure" | "enableLfs" | "enableOCI"> {
  const said = new FormData(form);
  const text = (name: string) => String(said.get(name) ?? "");
  return {
    url: text("url").trim(),
    name: text("name").trim(),
    project: text("project").trim(),
    username: text("username"),
    password: text("password"),
    bearerToken: text("bearerToken"),
    sshPrivateKey: text("sshPrivateKey"),
  };
}
