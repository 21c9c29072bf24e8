import type { Project, Role } from "./wire";

export interface Question {
  /** `proj:PROJECT:ROLE`, or a group; empty for whoever asks. */
  who: string;
  resource: string;
  action: string;
  object: string;
}

export interface Answer {
  allowed: boolean;
  /** The line that decides; empty where none does. */
  line: string;
  /** Where that line stands, or why there is none. */
  why: string;
}

export const RESOURCES = [
  "applications",
  "applicationsets",
  "clusters",
  "projects",
  "repositories",
  "write-repositories",
  "certificates",
  "accounts",
  "gpgkeys",
  "logs",
  "exec",
  "extensions",
] as const;
export const ACTIONS = ["get", "create", "update", "delete", "sync", "override", "action", "invoke"] as const;

interface Line {
  text: string;
  resource: string;
  action: string;
  object: string;
  denies: boolean;
}

const FIELDS = 6;

function lineOf(text: string): Line | undefined {
  const [kind, , resource = "", action = "", object = "", effect, ...more] = text.split(",").map((part) => part.trim());
  if (kind !== "p" || effect === undefined || more.length > 0 || text.split(",").length !== FIELDS) return undefined;
  return { text, resource, action, object, denies: effect === "deny" };
}

/** A glob as policies have them: a star stands for anything, slashes too. */
export function fits(pattern: string, value: string): boolean {
  const source = pattern.replace(/[.+^$()|[\]\\]/g, "\\$&");
  const expression = source
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
    .replace(/\{([^{}]*)\}/g, (_, inner: string) => `(?:${inner.replaceAll(",", "|")})`);
  try {
    return new RegExp(`^${expression}$`, "s").test(value);
  } catch {
    return false;
  }
}

interface Holder {
  project: string;
  role: Role;
}

/** The roles that a name or a group has by projects alone. */
export function rolesOf(who: string, projects: readonly Project[]): Holder[] {
  return projects.flatMap(({ metadata: { name }, spec }) =>
    (spec?.roles ?? [])
      .filter((role) => who === `proj:${name}:${role.name}` || (role.groups ?? []).includes(who))
      .map((role) => ({ project: name, role })),
  );
}

/** What the roles of projects say. A line that denies counts more than any that allows. */
export function simulate({ who, resource, action, object }: Question, projects: readonly Project[]): Answer {
  const held = rolesOf(who, projects);
  if (held.length === 0) return { allowed: false, line: "", why: `No project gives ${who} a role.` };
  const fitting = held.flatMap(({ project, role }) =>
    (role.policies ?? [])
      .map(lineOf)
      .filter((line): line is Line => line !== undefined)
      .filter((line) => fits(line.resource, resource) && fits(line.action, action) && fits(line.object, object))
      .map((line) => ({ line, place: `role ${role.name} of project ${project}` })),
  );
  const decisive = fitting.find(({ line }) => line.denies) ?? fitting[0];
  if (!decisive) {
    const roles = held.map(({ project, role }) => `${project}/${role.name}`).join(", ");
    return { allowed: false, line: "", why: `None of its roles (${roles}) has a line that fits.` };
  }
  const { line, place } = decisive;
  return { allowed: !line.denies, line: line.text, why: `${line.denies ? "Denied" : "Allowed"} by ${place}.` };
}

/** The command that answers the same. */
export function commandFor({ who, resource, action, object }: Question): string {
  const as = who === "" ? "" : who.startsWith("proj:") ? ` --as ${who}` : ` --as nobody --group '${who}'`;
  return `plumb account can-i ${action} ${resource} '${object}'${as}`;
}
