/** A way back that stays on this site: a link to the login page must not lead anywhere else. */
export function safeBack(back: string | undefined): string {
  if (!back?.startsWith("/") || back.startsWith("//") || back.includes("\\") || back.startsWith("/login")) return "/";
  return back;
}
