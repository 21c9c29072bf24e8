const NAMES: Record<string, string> = { Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓", Enter: "↵" };
const MAC = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.userAgent);

/** A binding as people read it: `$mod+k` is ⌘K on a Mac and Ctrl K elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  const presses = keys.split(" ").map((press) =>
    press
      .split("+")
      .map((key, _, all) =>
        key === "$mod" ? (MAC ? "⌘" : "Ctrl") : (NAMES[key] ?? (all.length > 1 ? key.toUpperCase() : key)),
      )
      .join(MAC ? "" : " "),
  );
  return (
    <span className="inline-flex gap-1">
      {presses.map((press, place) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
          key={place}
          className="rounded border border-line bg-canvas px-1.5 font-mono text-xs leading-5 text-soft"
        >
          {press}
        </kbd>
      ))}
    </span>
  );
}
