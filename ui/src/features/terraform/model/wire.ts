export type TerraformState =
  | "working"
  | "planned"
  | "waiting"
  | "drifted"
  | "applied"
  | "failed"
  | "suspended"
  | "deleting";

export interface Terraform {
  namespace: string;
  name: string;
  state: TerraformState;
  reason?: string;
  message?: string;
  since?: string;
  /** The id of the plan that waits. */
  plan?: string;
  /** `2 to add, 1 to change`. */
  headline?: string;
  destroys?: boolean;
  revision?: string;
  plannedAt?: string;
  createdAt?: string;
  approval?: string;
  source?: string;
  path?: string;
  workspace?: string;
  resources?: number;
}

export interface Entry {
  id: string | number;
  at: string;
  kind: string;
  verb: string;
  by: string;
  summary: string;
  cause: string;
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  since: string;
}

type Action = "approve" | "reject" | "reconcile" | "unlock" | "logs";

export interface TerraformPage extends Terraform {
  spec: {
    interval?: string;
    planOnly?: boolean;
    destroy?: boolean;
    disableDriftDetection?: boolean;
    variables?: { name: string; from: string }[];
    outputsSecret?: string;
  };
  status: {
    lastAppliedRevision?: string;
    lastPlannedRevision?: string;
    lastPlanAt?: string;
    lastDriftDetectedAt?: string;
    availableOutputs?: string[];
  };
  conditions: Condition[];
  application: { namespace: string; name: string } | null;
  history: Entry[];
  /** What people said about plans of it, this one or others. */
  approvals?: (Approval & { plan?: string })[];
  may: Partial<Record<Action, boolean>>;
}

export interface Danger {
  kind: string;
  severity: "high" | "medium" | "low";
  address: string;
  /** What is lost besides the resource itself. */
  lost: string;
  sentence: string;
}

/** One attribute; null where there is none on that side. What is sensitive is masked before it gets here. */
export interface Field {
  path: string;
  before: string | null;
  after: string | null;
  replaces: boolean;
}

export interface PlannedChange {
  address: string;
  action: string;
  type?: string;
  name?: string;
  order?: string;
  because?: string;
  replacedBecauseOf?: string[];
  movedFrom?: string;
  importedAs?: string;
  deposed?: string;
  fields?: Field[];
  moreFields?: number;
  dangers?: Danger[];
}

export interface ActionGroup {
  action: string;
  count: number;
  modules: { module: string; changes: PlannedChange[] }[];
}

export interface OutputChange {
  name: string;
  action: string;
  before: string | null;
  after: string | null;
  sensitive: boolean;
}

export interface Approval {
  by: string;
  decision: string;
  comment: string;
  at: string;
}

export interface Plan {
  namespace: string;
  name: string;
  /** How far its object is. */
  state: string;
  message: string;
  /** The id of the plan that waits; empty where none does. */
  plan: string;
  /** Of this plan and no other. */
  digest: string;
  approvals: Approval[];
  commands?: { approve: string; show: string };
  revision?: string;
  madeAt?: string;
  headline?: string;
  destroys?: boolean;
  drift?: boolean;
  dangers?: Danger[];
  moreDangers?: number;
  tool?: string;
  changes?: ActionGroup[];
  moreChanges?: number;
  outputs?: OutputChange[];
  driftedOutside?: PlannedChange[];
  checks?: { address: string; status: string; messages: string[] }[];
  deferred?: { address: string; action: string; reason: string }[];
  complete?: boolean;
  failed?: boolean;
  text: string;
  may?: { approve?: boolean; reject?: boolean };
}

export interface Output {
  name: string;
  sensitive: boolean;
}

export type Decision = "approve" | "reject";
