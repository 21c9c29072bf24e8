import { useFeatures } from "./features-context";
import { useGo } from "./go";
import { type KeyBinding, useKeyListener, useKeys } from "./keys/use-keys";
import { openSheet } from "./palette/open";

const palette = () => openSheet.set("palette");

/** Keys that hold everywhere: search, the sheet, one for each room, and those of rooms' own commands. */
export function useShellKeys(): void {
  const features = useFeatures();
  const go = useGo();
  const rooms = features.flatMap(({ rail }): KeyBinding[] =>
    rail?.key
      ? [{ id: `go-${rail.to}`, keys: `g ${rail.key}`, title: rail.title, group: "Go to", run: () => go.to(rail.to) }]
      : [],
  );
  const commands = features
    .flatMap((each) => each.commands ?? [])
    .flatMap((command): KeyBinding[] =>
      command.keys ? [{ ...command, keys: command.keys, run: () => command.run(go) }] : [],
    );
  useKeys([
    { id: "search", keys: "$mod+k", title: "Search and commands", group: "Everywhere", run: palette },
    { id: "search-slash", keys: "/", title: "Search and commands", group: "Everywhere", run: palette },
    { id: "keys", keys: "?", title: "These keys", group: "Everywhere", run: () => openSheet.set("keys") },
    ...rooms,
    ...commands,
  ]);
  useKeyListener();
}
