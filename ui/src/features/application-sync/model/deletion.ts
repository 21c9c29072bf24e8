export const WAYS = ["foreground", "background", "orphan"] as const;
export type Way = (typeof WAYS)[number];

/** What is left after each way. */
export const WAY_TEXTS: Record<Way, { title: string; effect: string }> = {
  foreground: {
    title: "Delete everything, and wait for it",
    effect: "Its objects go first, each after what it owns; the application goes last. Whatever hangs is seen here.",
  },
  background: {
    title: "Delete everything, in the background",
    effect: "Its objects are told to go, and what they own is collected later.",
  },
  orphan: {
    title: "Only the application",
    effect: "Its objects stay and keep running. Nobody delivers them any more.",
  },
};

export const deletionQuery = (way: Way) =>
  way === "orphan" ? { cascade: false } : { cascade: true, propagationPolicy: way };

export const deletionCommand = (name: string, way: Way): string =>
  `plumb app delete ${name} ${way === "orphan" ? "--no-cascade" : `--propagation-policy ${way}`}`;
