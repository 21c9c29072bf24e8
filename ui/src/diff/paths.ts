/** A step of a field's path: into a map, or to items of a list that are meant by what is in them. */
export type Step =
  | { field: string }
  | { index: number }
  | { value: unknown }
  | { keys: [name: string, value: unknown][] };

/** Maps whose keys may have dots in them, so that a path through them can only be read from here on as one key. */
const FREE = new Set(["annotations", "labels", "matchLabels", "nodeSelector", "data", "binaryData", "stringData"]);
const SELECTOR = /^\[(?:="(?:[^"\\]|\\.)*"|[^\]"]|"(?:[^"\\]|\\.)*")*\]/;
const FIELD = /^\.([^.[]+)/;

/** Reads `.spec.containers[name="web"].image`. *last* is the name in the line itself, which says where a key with dots begins. */
export function stepsOf(path: string, last = ""): Step[] {
  const steps: Step[] = [];
  let rest = path;
  const ending = last ? `.${last}` : "";
  while (rest) {
    const before = steps.at(-1);
    const free = before && "field" in before && FREE.has(before.field);
    if (rest.startsWith(".") && (free || rest === ending)) {
      steps.push({ field: rest.slice(1) });
      return steps;
    }
    const field = FIELD.exec(rest);
    const selector = SELECTOR.exec(rest);
    if (field?.[1]) steps.push({ field: field[1] });
    else if (selector) steps.push(selectorOf(selector[0].slice(1, -1)));
    else return [];
    rest = rest.slice((field ?? selector)?.[0].length);
  }
  return steps;
}

function selectorOf(text: string): Step {
  if (text.startsWith("=")) return { value: scalar(text.slice(1)) };
  if (/^\d+$/.test(text)) return { index: Number(text) };
  const pairs = [...text.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return { keys: pairs.map(([, name = "", value = "null"]) => [name, scalar(value)]) };
}

function scalar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The name that a line of YAML gives a value to: `- name: web` is about `name`. */
export function keyIn(text: string): string {
  const found = /^[\s-]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'][^:]*(?::[^\s:][^:]*)*)):(?:\s|$)/.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? "";
}
