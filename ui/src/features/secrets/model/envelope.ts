import { fromPem, NotReadable, publicKeyInfo } from "./der";
import type { Scope } from "./wire";

/**
 * How one value is sealed, byte for byte as kubeseal does it:
 *
 *     base64( length of the wrapped key, 2 bytes, big-endian | wrapped key | AES-256-GCM of the value, with its tag )
 *
 * The key of the value is wrapped with RSA-OAEP (SHA-256), whose label says what the value may become.
 */

const SESSION_KEY_BYTES = 32;
const PREFIX_BYTES = 2;
/** Each session key seals one value, so its nonce need not differ. */
const NONCE_BYTES = 12;
const FEWEST_BITS = 2048;

export interface Place {
  scope: Scope;
  namespace: string;
  name: string;
}

/** What is bound to every value of that scope. Namespaces and names have no slash, so that no two places share a label. */
export function labelOf({ scope, namespace, name }: Place): Uint8Array<ArrayBuffer> {
  const label = { strict: `${namespace}/${name}`, "namespace-wide": namespace, "cluster-wide": "" }[scope];
  return new TextEncoder().encode(label);
}

/** The key to seal against. It can wrap and nothing else. Throws NotReadable for what is no certificate of a safe RSA key. */
export async function sealingKey(pem: string): Promise<CryptoKey> {
  const spki = publicKeyInfo(fromPem(pem));
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey("spki", spki, { name: "RSA-OAEP", hash: "SHA-256" }, false, ["encrypt"]);
  } catch {
    throw new NotReadable("its key is not one for RSA");
  }
  if ((key.algorithm as RsaHashedKeyAlgorithm).modulusLength < FEWEST_BITS)
    throw new NotReadable(`its key has fewer than ${FEWEST_BITS} bits`);
  return key;
}

/** *value*, so that only the private half opens it, and only for the same *label*. */
export async function sealed(
  value: Uint8Array<ArrayBuffer>,
  key: CryptoKey,
  label: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const session = crypto.getRandomValues(new Uint8Array(SESSION_KEY_BYTES));
  const wrapping = crypto.subtle.encrypt({ name: "RSA-OAEP", label }, key, session);
  const cipher = await crypto.subtle.importKey("raw", session, "AES-GCM", false, ["encrypt"]);
  const body = await crypto.subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(NONCE_BYTES) }, cipher, value);
  const wrapped = await wrapping;
  session.fill(0);
  const prefix = new Uint8Array(PREFIX_BYTES);
  new DataView(prefix.buffer).setUint16(0, wrapped.byteLength);
  return base64([prefix, new Uint8Array(wrapped), new Uint8Array(body)]);
}

function base64(parts: readonly Uint8Array[]): string {
  let letters = "";
  for (const part of parts) for (const byte of part) letters += String.fromCharCode(byte);
  return btoa(letters);
}

/** Browsers keep their cryptography from pages that came over a plain connection from elsewhere. */
export const canSeal = (): boolean => globalThis.isSecureContext !== false && globalThis.crypto?.subtle !== undefined;
