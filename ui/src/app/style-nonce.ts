/** The word that styles written by scripts must bear, as the server put it into the page; editors need it too. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=style-nonce]")?.content ?? "";
}
