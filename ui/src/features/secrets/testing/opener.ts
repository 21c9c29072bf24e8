/** What tests seal against: key pairs of the moment, in certificates that are well-formed and that nobody signed. */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BITS = 0x03;
const VERSION = 0xa0;

/** A real certificate of the product, without its private half, which nobody kept. */
export const REAL = `-----BEGIN CERTIFICATE-----
MIICzDCCAbSgAwIBAgIQGd1Ly1/AGbokm40/BR4AYjANBgkqhkiG9w0BAQsFADAA
MB4XDTI2MDEwMTAwMDAwMFoXDTM1MTIzMDAwMDAwMFowADCCASIwDQYJKoZIhvcN
AQEBBQADggEPADCCAQoCggEBANfGGWOWgZFORewB6WJ2MmLr5n0YZv02c72ZDNzC
u6asqLND2pVF1hjpktaXPm+fkDNL8wQI0GipBjxSOrWax9tZoe5Qy4s1tkDu8NSG
5kKJWTUJevPh0qZGrS7ZlVwlmovdWX4sAMnx0ErbastLRWeviqQRLAMJVfgPVX6v
c5ftB+z00pT5GjqBrKQvm2BqHwcKaFPB+5hRyl+0Mr8hEqcgGtk2AJIaeNDQqQvf
7Wh6fslz6PcB/RvBpJwiMA0dXnMBZMSgc3jGeYOjBQz/mNd70BIAewTUGetIw9zO
gdP+GqkXm2KNrA3d8uvfKBt9cw5eIA2W4SwPKx+7s2d/VF8CAwEAAaNCMEAwDgYD
VR0PAQH/BAQDAgABMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFGNQIR2HPosL
CA0wQMYJ6epdWnCmMA0GCSqGSIb3DQEBCwUAA4IBAQDKihiLl17FrwTN3HAeI43b
CE7arr742NIiXDeqyTP6aZfluq1apqWlJL6QT7v19mi+rCSifYU+q7nBekF0brnc
JcoffkvR28EPkzQx1mXGv9Pe4EQ7yqgCYnimD+m15grrVJSGBOP37dGTVwOEAhq1
a+L4nDFwNx4WxGL9bT1tqvgtFf2rfQOyI0JooZsKp7oytFT1LlKNzobARulaVQnQ
LrS1aD6qYRu8R061g8p36VWwLmfSgf8YwJMM7kZ00zW37IijahNmY5t6ciT0jIly
hsXxLquMUKUQLC3yauP2FANud1MExR12mSpO4UYOPduba4pYVC+EuG9LqiIsKAIt
-----END CERTIFICATE-----`;

export interface Opener {
  pem: string;
  spki: Uint8Array<ArrayBuffer>;
  /** What a sealed text has inside; throws if the label is another. */
  open: (text: string, label: string) => Promise<string>;
}

const encoded = (tag: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const content = parts.flatMap((part) => [...part]);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Uint8Array.from([tag, ...length, ...content]);
};

/** A certificate around *spki*; with a version or, as the oldest have it, without. */
export function certificateOf(spki: Uint8Array, versioned = true): Uint8Array<ArrayBuffer> {
  const empty = encoded(SEQUENCE);
  const version = versioned ? [encoded(VERSION, encoded(INTEGER, Uint8Array.of(2)))] : [];
  const serial = encoded(INTEGER, Uint8Array.of(7));
  const told = encoded(SEQUENCE, ...version, serial, empty, empty, empty, empty, spki);
  return encoded(SEQUENCE, told, empty, encoded(BITS, Uint8Array.of(0)));
}

export const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${btoa(String.fromCharCode(...der)).replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`;

export async function opener(bits = 2048): Promise<Opener> {
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256", modulusLength: bits, publicExponent: Uint8Array.of(1, 0, 1) };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ["encrypt", "decrypt"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  return { pem: pemOf(certificateOf(spki)), spki, open: (text, label) => opened(privateKey, text, label) };
}

async function opened(key: CryptoKey, text: string, label: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const end = 2 + new DataView(bytes.buffer).getUint16(0);
  const bound = new TextEncoder().encode(label);
  const session = await crypto.subtle.decrypt({ name: "RSA-OAEP", label: bound }, key, bytes.slice(2, end));
  const cipher = await crypto.subtle.importKey("raw", session, "AES-GCM", false, ["decrypt"]);
  const value = await crypto.subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, cipher, bytes.slice(end));
  return new TextDecoder().decode(value);
}
