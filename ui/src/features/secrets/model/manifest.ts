import { yamlOf } from "@/kit/model/yaml";
import { labelOf, type Place, sealed, sealingKey } from "./envelope";
import type { Certificate, Scope } from "./wire";

export interface Item {
  key: string;
  value: string;
}

export interface Wish extends Place {
  type: string;
  items: readonly Item[];
}

const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const TYPE = /^[A-Za-z0-9./-]{0,253}$/;
const KEY = /^[-._a-zA-Z0-9]{1,253}$/;
/** What Kubernetes accepts as the contents of one Secret. */
const MOST_BYTES = 1024 * 1024;

/** What is wrong with a wish, by the field that it is about; nothing where it can be sealed. Quotes no value. */
export function faultsOf({ namespace, name, type, items }: Wish): Record<string, string> {
  const faults: Record<string, string> = {};
  if (!NAMESPACE.test(namespace) || namespace.length > 63)
    faults.namespace = "A namespace has small letters, digits and dashes, and at most 63 of them.";
  if (!NAME.test(name) || name.length > 253) faults.name = "A name has small letters, digits, dashes and dots.";
  if (!TYPE.test(type)) faults.type = "A type has letters, digits, dots, dashes and slashes.";
  for (const [place, { key, value }] of items.entries()) {
    if (!KEY.test(key) || key === "." || key.startsWith(".."))
      faults[`key-${place}`] = "A key has letters, digits, dashes, underscores and dots.";
    else if (items.findIndex((other) => other.key === key) < place)
      faults[`key-${place}`] = "This key is there already.";
    if (value === "") faults[`value-${place}`] = "There is no value to seal.";
  }
  const size = items.reduce((sum, { value }) => sum + new TextEncoder().encode(value).length, 0);
  if (size > MOST_BYTES) faults.size = "A Secret holds no more than 1 MiB.";
  return faults;
}

const SEALED_WITH = "plumbline.dev/sealed-with";

const scopeAnnotations = (scope: Scope): Record<string, string> =>
  scope === "strict" ? {} : { [`sealedsecrets.bitnami.com/${scope}`]: "true" };

/** The SealedSecret to commit, made of values that are sealed already. */
export function manifestOf(
  { scope, namespace, name, type }: Omit<Wish, "items">,
  encrypted: Readonly<Record<string, string>>,
  fingerprint: string,
): object {
  const place = { name, namespace };
  const bound = scopeAnnotations(scope);
  const sorted = Object.entries(encrypted).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    apiVersion: "bitnami.com/v1alpha1",
    kind: "SealedSecret",
    metadata: { ...place, annotations: { ...bound, [SEALED_WITH]: fingerprint } },
    spec: {
      encryptedData: Object.fromEntries(sorted),
      template: {
        metadata: { ...place, ...(scope === "strict" ? {} : { annotations: bound }) },
        ...(type ? { type } : {}),
      },
    },
  };
}

export interface Result {
  file: string;
  yaml: string;
  /** Only the lines to put into a SealedSecret that is there already. */
  lines: string;
  keys: string[];
  commands: string[];
}

/** Seals every value in this page. Nothing is asked of anybody. */
export async function sealedResult(wish: Wish, certificate: Certificate): Promise<Result> {
  const key = await sealingKey(certificate.pem);
  const label = labelOf(wish);
  const encoder = new TextEncoder();
  const encrypted: Record<string, string> = {};
  for (const item of wish.items) encrypted[item.key] = await sealed(encoder.encode(item.value), key, label);
  const file = `${wish.name}.sealedsecret.yaml`;
  return {
    file,
    yaml: yamlOf(manifestOf(wish, encrypted, certificate.fingerprint)),
    lines: Object.entries(encrypted)
      .map(([name, text]) => `    ${/^[A-Za-z_][\w.-]*$/.test(name) ? name : JSON.stringify(name)}: ${text}\n`)
      .join(""),
    keys: Object.keys(encrypted),
    commands: [`git add ${file}`, `git commit -m "Seal ${wish.namespace}/${wish.name}" -- ${file}`, "git push"],
  };
}
