/** As much of DER as leads to the public key of a certificate. Whatever is not as it must be is refused. */

const SEQUENCE = 0x30;
const VERSION = 0xa0;
const LONG = 0x80;
const LONGEST_LENGTH = 4;
const LARGEST = 256 * 1024;

interface Element {
  tag: number;
  /** The whole of it, tag and length included. */
  whole: Uint8Array<ArrayBuffer>;
  content: Uint8Array<ArrayBuffer>;
  rest: Uint8Array<ArrayBuffer>;
}

export class NotReadable extends Error {}

/** The first element of *bytes*. Throws NotReadable for lengths that DER has not, or that lead beyond the end. */
export function element(bytes: Uint8Array<ArrayBuffer>): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new NotReadable("it ends too early");
  let header = 2;
  let length = first;
  if (first >= LONG) {
    const count = first - LONG;
    if (count === 0 || count > LONGEST_LENGTH || bytes.length < header + count)
      throw new NotReadable("a length cannot be read");
    length = bytes.subarray(header, header + count).reduce((sum, byte) => sum * 256 + byte, 0);
    header += count;
    if (length < LONG || length < 256 ** (count - 1)) throw new NotReadable("a length is longer than it must be");
  }
  const end = header + length;
  if (end > bytes.length) throw new NotReadable("it ends too early");
  return { tag, whole: bytes.subarray(0, end), content: bytes.subarray(header, end), rest: bytes.subarray(end) };
}

function sequence(bytes: Uint8Array<ArrayBuffer>): Element {
  const found = element(bytes);
  if (found.tag !== SEQUENCE) throw new NotReadable("something else stands where a sequence should");
  return found;
}

/** The SubjectPublicKeyInfo of an X.509 certificate, as WebCrypto imports it. */
export function publicKeyInfo(certificate: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let rest = sequence(sequence(certificate).content).content;
  const first = element(rest);
  if (first.tag === VERSION) rest = first.rest;
  // Serial number, algorithm of the signature, issuer, validity, subject: what is wanted comes after these.
  for (let skipped = 0; skipped < 5; skipped += 1) rest = element(rest).rest;
  return sequence(rest).whole;
}

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/;

/** The first certificate of a PEM text. */
export function fromPem(pem: string): Uint8Array<ArrayBuffer> {
  const body = pem.length <= LARGEST ? PEM.exec(pem)?.[1]?.replace(/\s/g, "") : undefined;
  if (!body) throw new NotReadable("there is no certificate in it");
  try {
    return Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
  } catch {
    throw new NotReadable("it is not base64");
  }
}
