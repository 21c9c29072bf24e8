/** The language of the filter: `health:degraded -project:shop pay`. The server decides; here terms are only found and changed. */
export interface Term {
  negated: boolean;
  /** Empty for a bare word. */
  key: string;
  values: string[];
}

const WORDS = /(?:"[^"]*"|[^\s"])+/g;
const TERM = /^(-?)(?:([A-Za-z]+):)?(.*)$/s;

export function terms(text: string): Term[] {
  return (text.match(WORDS) ?? []).map(termOf);
}

function termOf(word: string): Term {
  const [, minus, key = "", value = ""] = TERM.exec(word) ?? [];
  return { negated: minus === "-", key: key.toLowerCase(), values: key ? listOf(value) : [value.replaceAll('"', "")] };
}

const listOf = (value: string): string[] => value.replaceAll('"', "").split(",").filter(Boolean);

export function written(all: readonly Term[]): string {
  return all
    .map(({ negated, key, values }) => `${negated ? "-" : ""}${key && `${key}:`}${quoted(values.join(","))}`)
    .join(" ");
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The values that *text* asks of one facet. */
export function chosen(text: string, key: string): string[] {
  return terms(text).flatMap((term) => (term.key === key && !term.negated ? term.values : []));
}

export const isChosen = (text: string, key: string, value: string): boolean =>
  chosen(text, key).some((each) => same(each, value));

/** *text* with one value of a facet added, or taken out if it was there. All else stays as it was typed. */
export function toggled(text: string, key: string, value: string): string {
  const values = chosen(text, key);
  const after = isChosen(text, key, value) ? values.filter((each) => !same(each, value)) : [...values, value];
  const others = terms(text).filter((term) => term.key !== key || term.negated);
  const facet: Term[] = after.length > 0 ? [{ negated: false, key, values: after }] : [];
  return written([...others.filter(isFacet), ...facet, ...others.filter((term) => !isFacet(term))]);
}

const isFacet = (term: Term): boolean => term.key !== "";

/** *text* without a facet. */
export const cleared = (text: string, key: string): string =>
  written(terms(text).filter((term) => term.key !== key || term.negated));

/** Whether a facet's value passes what *text* asks of that facet: `*` stands for anything, letters count as in the server. */
export function passes(text: string, key: string, value: string): boolean {
  return terms(text).every(
    (term) => term.key !== key || term.values.some((each) => fits(each, value)) !== term.negated,
  );
}

function fits(pattern: string, value: string): boolean {
  if (!pattern.includes("*")) return pattern === value;
  const escaped = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`).test(value);
}
