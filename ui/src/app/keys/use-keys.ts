import { useEffect, useEffectEvent, useMemo } from "react";
import { tinykeys } from "tinykeys";
import { preferences, usePreferences } from "@/app/preferences";
import { useStore } from "@/kit/use-store";
import { allowed, bindings, type KeyBinding, keymap, register, spellings, whereabouts } from "./registry";

export type { KeyBinding } from "./registry";

/** Keys that hold while the component is there. Their ids and keys must not change in its lifetime; what they do may. */
export function useKeys(wanted: readonly KeyBinding[]): void {
  const run = useEffectEvent((id: string, event: KeyboardEvent) => wanted.find((each) => each.id === id)?.run(event));
  const ids = wanted.map((each) => each.id).join(" ");
  const stable = useEffectEvent(() =>
    wanted.map((each) => ({ ...each, run: (event: KeyboardEvent) => run(each.id, event) })),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another set of ids is another set of keys
  useEffect(() => register(stable()), [ids]);
}

/** The one listener of the page; the shell mounts it. */
export function useKeyListener(): void {
  const all = useStore(bindings);
  const { keys } = usePreferences();
  const map = useMemo(() => keymap(all, keys), [all, keys]);
  useEffect(() => {
    const entries = [...map].flatMap(([pressed, binding]) =>
      spellings(pressed).map((spelt) => [spelt, (event: KeyboardEvent) => act(event, pressed, binding)]),
    );
    return tinykeys(window, Object.fromEntries(entries));
  }, [map]);
}

function act(event: KeyboardEvent, pressed: string, binding: KeyBinding): void {
  if (event.defaultPrevented) return;
  const at = whereabouts(event.target, navigator.userAgent);
  if (!allowed(pressed, binding, at, preferences.get().singleKeys)) return;
  event.preventDefault();
  binding.run(event);
}
