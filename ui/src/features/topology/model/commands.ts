import { shellQuoted } from "@/features/applications/model/search";
import type { Address } from "./resource";

type Named = Pick<Address, "group" | "version" | "kind" | "namespace" | "name">;

const place = ({ namespace }: Named): string => (namespace ? ` -n ${shellQuoted(namespace)}` : "");

/** Kinds are written out with version and group, so that another of the same name is never meant. */
const full = ({ group, version, kind }: Named): string => (group && version ? `${kind}.${version}.${group}` : kind);

export const asKubectl = (named: Named): string =>
  `kubectl get${place(named)} ${shellQuoted(`${full(named)}/${named.name}`)} -o yaml`;

export const asPlumb = (named: Named): string =>
  `plumb get ${shellQuoted(`${named.kind}/${named.name}`)}${place(named)} -o yaml`;

export const whyCommand = (named: Named): string =>
  `plumb why ${shellQuoted(`${named.kind}/${named.name}`)}${place(named)}`;
