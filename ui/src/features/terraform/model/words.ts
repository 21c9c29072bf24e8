import type { Approval, Danger, Plan, Terraform, TerraformState } from "./wire";

export const STATE_WORDS: Readonly<Record<TerraformState, string>> = {
  waiting: "Waits for approval",
  drifted: "Drifted",
  failed: "Failed",
  planned: "Planned only",
  working: "Working",
  suspended: "Suspended",
  deleting: "Being deleted",
  applied: "Applied",
};

/** What people look for first. */
export const STATE_ORDER = Object.keys(STATE_WORDS) as TerraformState[];

/** The state in a sentence. */
export function sentenceOf(of: Terraform): string {
  if (of.plan && of.headline) return of.destroys ? `A plan would destroy everything: ${of.headline}` : of.headline;
  if (of.state === "applied") return of.message || "What is there is what the source says.";
  return of.message || of.reason || "Nothing has been said about it yet.";
}

const ACTIONS: Readonly<Record<string, string>> = {
  delete: "Destroy",
  replace: "Replace",
  forget: "Forget",
  unknown: "Do something unknown to",
  update: "Change",
  create: "Create",
  import: "Import",
  move: "Move",
  read: "Read",
};

export const actionWord = (action: string): string => ACTIONS[action] ?? action;

/** How a change is drawn beside its word, as the tool itself does. */
const SIGNS: Readonly<Record<string, string>> = {
  delete: "-",
  replace: "±",
  forget: "×",
  update: "~",
  create: "+",
  import: "→",
  move: "↷",
  read: "<",
};

export const signOf = (action: string): string => SIGNS[action] ?? "?";

/** Dangers that nobody should overlook: those that lose something. */
export const isGrave = (danger: Danger): boolean => danger.severity === "high" || danger.lost !== "";

export const shortDigest = (digest: string): string => digest.slice(0, 12);

/** How many have agreed, and how many must, as far as the server says so. */
export interface Tally {
  approved: Approval[];
  rejected: Approval[];
  /** Approvals that are still missing; nothing where the server says nothing of it. */
  missing: number | undefined;
}

export function tallyOf(plan: Pick<Plan, "approvals" | "message">): Tally {
  const said = /\b(\d+) approvals? missing\b/.exec(plan.message)?.[1];
  const rejected = plan.approvals.filter((each) => each.decision === "Reject");
  return {
    approved: plan.approvals.filter((each) => each.decision !== "Reject"),
    rejected,
    missing: said === undefined ? undefined : Number(said),
  };
}

export function tallySentence({ approved, rejected, missing }: Tally): string {
  if (rejected.length > 0) return `Rejected by ${namesOf(rejected)}.`;
  const by = approved.length > 0 ? `Approved by ${namesOf(approved)}` : "Nobody has approved it yet";
  if (missing === undefined) return `${by}.`;
  return `${by}: ${approved.length} of ${approved.length + missing} ${
    approved.length + missing === 1 ? "approval" : "approvals"
  }.`;
}

const namesOf = (said: readonly Approval[]): string => said.map((each) => each.by || "somebody").join(", ");

/** Commands that answer and do the same. */
export const listCommand = "plumb tf list -A";
export const showCommand = ({ namespace, name }: { namespace: string; name: string }): string =>
  `plumb tf show ${name} -n ${namespace}`;
export const rejectCommand = (plan: Plan): string =>
  `plumb tf reject ${plan.name} -n ${plan.namespace} --plan ${plan.digest}`;

/** A value as a diff shows it. */
export const valueText = (value: string | null): string => value ?? "(nothing)";
