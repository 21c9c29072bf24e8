import { hunksBetween } from "@/diff/lines";
import { objectKey, objectTitle } from "@/diff/names";
import type { DiffHunk } from "@/diff/wire";
import { yamlOf } from "@/kit/model/yaml";

export interface Compared {
  key: string;
  title: string;
  /** Came, went, or became another. */
  state: "added" | "removed" | "changed";
  hunks: DiffHunk[];
}

interface Manifest {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; namespace?: string };
}

function named(manifest: Manifest) {
  const { apiVersion = "", kind = "", metadata = {} } = manifest;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return { group, kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** What was asked for at one time beside what was at another, object by object; equal ones are left out. */
export function comparedManifests(before: readonly string[], after: readonly string[]): Compared[] {
  const read = (texts: readonly string[]) =>
    new Map(texts.map((text) => JSON.parse(text) as Manifest).map((each) => [objectKey(named(each)), each]));
  const [old, young] = [read(before), read(after)];
  return [...new Set([...old.keys(), ...young.keys()])].sort().flatMap((key): Compared[] => {
    const [was, is] = [old.get(key), young.get(key)];
    const hunks = hunksBetween(was ? yamlOf(was) : "", is ? yamlOf(is) : "");
    if (hunks.length === 0) return [];
    const state = !was ? "added" : !is ? "removed" : "changed";
    return [{ key, title: objectTitle(named(is ?? was ?? {})), state, hunks }];
  });
}
