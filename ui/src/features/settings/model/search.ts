import type { Question } from "./simulate";

/** What of a question is in the URL. */
export type QuestionSearch = Partial<Question>;

const NAMES = ["who", "resource", "action", "object"] as const;

export function questionOf(search: Record<string, unknown>): QuestionSearch {
  const said = NAMES.filter((name) => search[name] !== undefined && search[name] !== "");
  return Object.fromEntries(said.map((name) => [name, String(search[name])]));
}
