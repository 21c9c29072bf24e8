import type { Claim, ClaimState, Parts, Place, Presence, TreeNode } from "./wire";

/** In paths and policies: the namespace of what is in none. */
export const NOWHERE = "-";

export const STATE_WORDS: Readonly<Record<ClaimState, string>> = {
  well: "Ready",
  waiting: "Waiting",
  wrong: "Failing",
};

/** One word for how something is. What is being deleted or paused is not judged by its conditions. */
export function stateWord(of: Pick<Claim, "state" | "paused" | "deletedAt">): string {
  if (of.deletedAt) return "Being deleted";
  return of.paused ? "Paused" : STATE_WORDS[of.state];
}

/** The state in a sentence: why it is as it is, in the words of whoever knows best. */
export function claimSentence(claim: Claim): string {
  if (claim.deletedAt) return "It is being deleted, and with it what it made.";
  if (claim.paused) return "It is paused: nobody looks after it until that annotation is gone.";
  if (claim.state === "well") return "Everything that was asked for is there.";
  return claim.message || claim.reason || "Nothing has been said about it yet.";
}

export const claimAddress = ({ group, kind, namespace, name }: Place): string =>
  [group || NOWHERE, kind, namespace || NOWHERE, name].map(encodeURIComponent).join("/");

/** The command that draws the same tree. */
export const treeCommand = ({ kind, group, namespace, name }: Place): string =>
  [
    "plumb tree",
    `${kind.toLowerCase()}${group ? `.${group}` : ""}/${name}`,
    ...(namespace ? ["-n", namespace] : []),
  ].join(" ");

const PARTS_SAID: Readonly<Record<Parts, string>> = {
  present: "",
  none: "",
  loading: "Its parts are still being made.",
  empty: "It is ready and has no parts: there is nothing to make.",
  forbidden: "It has parts, and they may not be seen.",
};

/** Why there is nothing below a node. Empty where nothing is amiss. */
export const partsSaid = ({ parts, state }: Pick<TreeNode, "parts" | "state">): string =>
  parts === "loading" && state === "wrong" ? "It has no parts yet, for the reason that it gives." : PARTS_SAID[parts];

export const PRESENCE_SAID: Readonly<Record<Presence, string>> = {
  present: "",
  missing: "It is named, and it is not there.",
  forbidden: "It is there, and it may not be seen.",
  unreadable: "It could not be read.",
};

export const ROLE_WORDS: Readonly<Record<TreeNode["role"], string>> = {
  claim: "claim",
  composite: "composite",
  managed: "in the cloud",
  object: "object",
};

/** A condition as people say it. */
export function conditionWord(what: "Synced" | "Ready", status: string | undefined): string {
  if (status === "True") return what;
  return status === "False" ? `Not ${what.toLowerCase()}` : `${what} unknown`;
}
