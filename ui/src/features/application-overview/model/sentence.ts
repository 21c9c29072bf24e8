import type { Resource } from "@/features/topology/model/resource";
import { type Branch, rootCause } from "@/graph/forest";
import { healthOf } from "@/kit/model/status";
import { agoText } from "@/kit/model/time";
import { podTrouble } from "./pods";
import { revisionOf, versionOf } from "./version";
import type { WholeApplication } from "./wire";

/** How it is with the application, in one sentence: what is live since when, and what is wrong with it since when. */
export function sentence(app: WholeApplication, tree: Branch<Resource> | undefined, now: number): string {
  if (app.metadata.deletionTimestamp) return deleting(app, tree, now);
  const parts = [live(app, now), operation(app, now), trouble(app, tree, now), difference(app)];
  return parts.filter(Boolean).join("; ");
}

const ago = (at: string | undefined, now: number): string => agoText(at ?? "", now);
/** `since 12 min`: the same clock, in the other direction. */
const since = (at: string | undefined, now: number): string => {
  const text = ago(at, now);
  return text && (text === "just now" ? " just now" : ` since ${text.replace(/ ago$/, "")}`);
};
const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
const LONGEST = 140;

/** The first line, as whole sentences if it has to be cut: half a command is worse than none. */
function short(text: string | undefined): string {
  const line = (text ?? "").split("\n")[0] ?? "";
  if (line.length <= LONGEST) return line;
  const cut = line.slice(0, LONGEST);
  const end = cut.lastIndexOf(". ");
  return end > 0 ? cut.slice(0, end) : `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}

function deleting({ metadata }: WholeApplication, tree: Branch<Resource> | undefined, now: number): string {
  const left = tree ? `; ${counted(tree.size - 1, "object")} still there` : "";
  return `${metadata.name} is being deleted${since(metadata.deletionTimestamp, now)}${left}`;
}

function live(app: WholeApplication, now: number): string {
  const last = app.status?.history?.at(-1);
  if (!last) return app.status?.operationState?.phase === "Running" ? "" : "Nothing was deployed yet";
  return [versionOf(app), "live", ago(last.deployedAt, now)].filter(Boolean).join(" ");
}

function operation({ status = {} }: WholeApplication, now: number): string {
  const last = status.operationState;
  const to = revisionOf(last?.syncResult);
  switch (last?.phase) {
    case "Running":
      return `${to || "a sync"} is being rolled out${since(last.startedAt, now)}`;
    case "Terminating":
      return `the sync${to && ` to ${to}`} is being stopped`;
    case "Failed":
    case "Error":
      return (
        [`the sync${to && ` to ${to}`} failed`, ago(last.finishedAt, now)].filter(Boolean).join(" ") + why(last.message)
      );
    default:
      return "";
  }
}

const why = (message: string | undefined): string => (short(message) ? `: ${short(message)}` : "");

function trouble({ status = {} }: WholeApplication, tree: Branch<Resource> | undefined, now: number): string {
  const health = healthOf(status.health?.status);
  const at = since(status.health?.lastTransitionTime, now);
  const pods = tree && podTrouble(tree);
  if (pods) return `${pods.ill} of ${counted(pods.all, "pod")} ${pods.ill === 1 ? pods.verb : pods.verbOfMany}${at}`;
  const cause = tree && rootCause(tree, health);
  const named = cause ? `${cause.kind} ${cause.name}` : "";
  const said = why(cause?.message || status.health?.message);
  switch (health) {
    case "Degraded":
      return `${named || "something in it"} is degraded${at}${said}`;
    case "Missing":
      return `${named || "something that Git asks for"} is missing${at}${said}`;
    case "Progressing":
      return `${named || "it"} is not ready yet${at}${said}`;
    case "Suspended":
      return `${named || "it"} is suspended${at}${said}`;
    case "Unknown":
      return status.health?.status ? `how it fares is unknown${said}` : "";
    default:
      return status.history?.length ? "all is well" : "";
  }
}

function difference({ spec = {}, status = {} }: WholeApplication): string {
  if (status.sync?.status !== "OutOfSync") return "";
  const out = (status.resources ?? []).filter((each) => each.status === "OutOfSync").length;
  const what =
    out > 0 ? `${counted(out, "object")} ${out === 1 ? "differs" : "differ"} from Git` : "it differs from Git";
  return spec.syncPolicy?.automated ? what : `${what} and ${out === 1 ? "waits" : "wait"} for a sync`;
}
