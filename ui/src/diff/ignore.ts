import { yamlOf } from "@/kit/model/yaml";
import { keyIn, type Step, stepsOf } from "./paths";
import type { ObjectName } from "./wire";

/** Part of an Application's spec. By pointer where that can say it, else by an expression. */
export interface IgnoreRule {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  jsonPointers?: string[];
  jqPathExpressions?: string[];
}

/** The rule that leaves the field of one line alone, for this object and no other; none for a line without a field. */
export function ignoreRule(object: ObjectName, path: string, text: string): IgnoreRule | undefined {
  const steps = stepsOf(path, keyIn(text));
  if (steps.length === 0) return undefined;
  const { group, kind, namespace, name } = object;
  const named = { ...(group ? { group } : {}), kind, name, ...(namespace ? { namespace } : {}) };
  const fields = steps.map((step) => ("field" in step ? step.field : undefined));
  return fields.every((field) => field !== undefined)
    ? {
        ...named,
        jsonPointers: [fields.map((field) => `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")],
      }
    : { ...named, jqPathExpressions: [expressionOf(steps)] };
}

/** Ready to be pasted below `spec:`. */
export const ignoreText = (rule: IgnoreRule): string => yamlOf({ ignoreDifferences: [rule] });

const PLAIN = /^[A-Za-z_]\w*$/;

function expressionOf(steps: readonly Step[]): string {
  let written = "";
  for (const step of steps) {
    const start = written === "" || written.endsWith("| ") ? "." : "";
    if ("field" in step)
      written += PLAIN.test(step.field) ? `.${step.field}` : `${start}[${JSON.stringify(step.field)}]`;
    else if ("index" in step) written += `${start}[${step.index}]`;
    else written += `${start}[] | select(${conditionOf(step)}) | `;
  }
  return written.endsWith(" | ") ? written.slice(0, -3) : written;
}

function conditionOf(step: { value: unknown } | { keys: [string, unknown][] }): string {
  if ("value" in step) return `. == ${JSON.stringify(step.value)}`;
  const field = (name: string) => (PLAIN.test(name) ? `.${name}` : `.[${JSON.stringify(name)}]`);
  return step.keys.map(([name, value]) => `${field(name)} == ${JSON.stringify(value)}`).join(" and ");
}
