import { createStore, type Store } from "@/kit/model/store";

export interface KeyBinding {
  /** Stable: people's own keys are kept by it. */
  id: string;
  /** As tinykeys writes them: `g a`, `$mod+k`, `?`. */
  keys: string;
  title: string;
  group: string;
  /** Also while a dialog is open. */
  inDialogs?: boolean;
  run: (event: KeyboardEvent) => void;
}

/** What can be pressed now. Later registrations win over earlier ones with the same keys: the innermost screen is meant. */
export const bindings: Store<readonly KeyBinding[]> = createStore<readonly KeyBinding[]>([]);

export function register(added: readonly KeyBinding[]): () => void {
  bindings.set((before) => [...before, ...added]);
  return () => bindings.set((before) => before.filter((each) => !added.includes(each)));
}

/** Bindings by the keys that count, with people's own in place of ours. */
export function keymap(all: readonly KeyBinding[], own: Record<string, string>): Map<string, KeyBinding> {
  const map = new Map<string, KeyBinding>();
  for (const binding of all) {
    const keys = own[binding.id] ?? binding.keys;
    if (keys) map.set(keys, binding);
  }
  return map;
}

const SIGN = /^[^\p{L}\p{N}]$/u;

/** As tinykeys must hear it: whether a sign such as `?` or `/` needs Shift is the keyboard's affair. */
export const spellings = (keys: string): string[] => (SIGN.test(keys) ? [keys, `Shift+${keys}`] : [keys]);

const MODIFIED = /(^|\+)(\$mod|Control|Meta|Alt)\+/;

/** Whether a binding may act where the focus is. Text belongs to whoever types it: on Linux Ctrl K there cuts a line. */
export function allowed(keys: string, binding: KeyBinding, at: Where, singleKeys: boolean): boolean {
  if (at.dialog && !binding.inDialogs) return false;
  const modified = MODIFIED.test(keys);
  if (!modified && !singleKeys) return false;
  return !at.typing || (modified && at.mac);
}

export interface Where {
  typing: boolean;
  dialog: boolean;
  mac: boolean;
}

const TYPED =
  "input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=menu], [role=listbox]";

export function whereabouts(target: EventTarget | null, userAgent: string): Where {
  const element = target instanceof Element ? target : null;
  return {
    typing: element?.closest(`${TYPED}, ${OWN_KEYS}`) != null,
    dialog: document.querySelector("[role=dialog]") !== null,
    mac: /mac|iphone|ipad/i.test(userAgent),
  };
}
