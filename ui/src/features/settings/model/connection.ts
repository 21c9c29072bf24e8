import { ApiError } from "@/api/errors";
import type { ConnectionState, Verdict } from "./wire";

/** What somebody types of a repository. What opens it goes to the server and is never asked for again. */
export interface Wanted {
  url: string;
  type: string;
  name: string;
  project: string;
  username: string;
  password: string;
  bearerToken: string;
  sshPrivateKey: string;
  insecure: boolean;
  enableLfs: boolean;
  enableOCI: boolean;
}

export type StepState = "waiting" | "running" | "done" | "failed" | "unknown";

export interface Step {
  id: "address" | "allowed" | "answers" | "saved" | "connected";
  title: string;
  state: StepState;
  said: string;
}

/** What the test asks of the server. */
export interface Connecting {
  may: (project: string, url: string) => Promise<Verdict>;
  validate: (wanted: Wanted) => Promise<unknown>;
  save: (wanted: Wanted) => Promise<unknown>;
  look: (wanted: Wanted) => Promise<ConnectionState | undefined>;
}

const TITLES: Record<Step["id"], string> = {
  address: "The address can be read",
  allowed: "You may register it",
  answers: "It answers with these credentials",
  saved: "It is registered",
  connected: "The server itself gets there",
};

export const begun = (): Step[] =>
  (Object.keys(TITLES) as Step["id"][]).map((id) => ({ id, title: TITLES[id], state: "waiting", said: "" }));

/** Takes one step after the other, tells of each as it goes, and ends at the first that fails. True if none did. */
export async function connect(asked: Connecting, wanted: Wanted, tell: (steps: Step[]) => void): Promise<boolean> {
  let steps = begun();
  const note = (id: Step["id"], state: StepState, said = "") => {
    steps = steps.map((step) => (step.id === id ? { ...step, state, said } : step));
    tell(steps);
  };
  const take = async (id: Step["id"], run: () => Promise<[StepState, string]>): Promise<boolean> => {
    note(id, "running");
    try {
      const [state, said] = await run();
      note(id, state, said);
      return state !== "failed";
    } catch (failure) {
      note(id, "failed", reason(failure));
      return false;
    }
  };
  return (
    (await take("address", async () => addressStep(wanted.url))) &&
    (await take("allowed", async () => allowedStep(await asked.may(wanted.project, wanted.url)))) &&
    (await take("answers", () => asked.validate(wanted).then(() => ["done", ""]))) &&
    (await take("saved", () => asked.save(wanted).then(() => ["done", ""]))) &&
    (await take("connected", async () => connectedStep(await asked.look(wanted))))
  );
}

const SCP = /^[\w.-]+@[\w.-]+:.+$/;

export function addressStep(url: string): [StepState, string] {
  if (SCP.test(url)) return ["done", "SSH"];
  try {
    const { protocol, username, password } = new URL(url);
    if (password || (username && protocol.startsWith("http"))) {
      return ["failed", "It has credentials in it. Type them into their fields: addresses are shown to everybody."];
    }
    return ["done", protocol.replace(":", "").toUpperCase()];
  } catch {
    return ["failed", "It is neither an address such as https://git.example.org/shop nor git@git.example.org:shop."];
  }
}

const allowedStep = ({ value, why = "" }: Verdict): [StepState, string] => [value === "yes" ? "done" : "failed", why];

function connectedStep(state: ConnectionState | undefined): [StepState, string] {
  if (state?.status === "Successful") return ["done", ""];
  if (state?.status === "Failed") return ["failed", state.message ?? ""];
  return ["unknown", "It has not been tried yet; the first application that uses it will tell."];
}

function reason(failure: unknown): string {
  if (!(failure instanceof ApiError)) return String(failure);
  return failure.hint ? `${failure.message}. ${failure.hint}` : failure.message;
}

const CREDENTIALS = ["username", "password", "bearerToken", "sshPrivateKey"] as const;

export const hasCredentials = (wanted: Wanted): boolean => CREDENTIALS.some((name) => wanted[name] !== "");

/** The body of requests about it: only what was said. */
export function bodyOf({ url, ...others }: Wanted): Record<string, unknown> {
  const said = Object.entries(others).filter(([, value]) => value !== "" && value !== false);
  return { repo: url, ...Object.fromEntries(said) };
}
