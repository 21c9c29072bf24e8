const PLAIN = /^[A-Za-z_./][\w./@-]*(?: [\w./@-]+)*$/;
/** Words that YAML 1.1 or 1.2 reads as something else than text. */
const TAKEN = /^(?:y|n|yes|no|on|off|true|false|null|~|\.nan|\.inf)$/i;
const UNPRINTED = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A JSON value as YAML that people would write: block style, quotes only where a word could be misread. */
export function yamlOf(value: unknown): string {
  return `${written(value, "").replace(/^\n/, "")}\n`;
}

function written(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : value.map((each) => item(each, indent)).join("");
  if (typeof value === "object" && value !== null) return mapping(value, indent);
  if (typeof value === "string") return text(value, indent);
  return JSON.stringify(value ?? null);
}

function item(value: unknown, indent: string): string {
  const inner = written(value, `${indent}  `);
  // The first line of what is inside stands behind the dash.
  return `\n${indent}- ${inner.startsWith("\n") ? inner.slice(indent.length + 3) : inner}`;
}

function mapping(value: object, indent: string): string {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (entries.length === 0) return "{}";
  return entries.map(([key, inner]) => `\n${indent}${text(key, "")}:${behindKey(inner, indent)}`).join("");
}

function behindKey(value: unknown, indent: string): string {
  // A list stands as deep as its key, as Kubernetes' own tools write it.
  const inner = written(value, Array.isArray(value) ? indent : `${indent}  `);
  return inner.startsWith("\n") ? inner : ` ${inner}`;
}

function text(value: string, indent: string): string {
  const lines = value.replace(/\n$/, "").split("\n");
  if (indent && value.includes("\n") && lines.every(blockable) && lines[0] && lines.at(-1)) {
    const sign = value.endsWith("\n") ? "|" : "|-";
    return `${sign}${lines.map((line) => (line ? `\n${indent}${line}` : "\n")).join("")}`;
  }
  return PLAIN.test(value) && !TAKEN.test(value) ? value : JSON.stringify(value);
}

const blockable = (line: string, place: number): boolean =>
  !UNPRINTED.test(line) && !line.endsWith(" ") && !(place === 0 && line.startsWith(" "));
