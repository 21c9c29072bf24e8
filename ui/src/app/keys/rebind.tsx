import { Keyboard, RotateCcw } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { prefer } from "@/app/preferences";
import { IconButton } from "@/kit/button";
import type { KeyBinding } from "./registry";

interface RebindProps {
  binding: KeyBinding;
  own: Record<string, string>;
}

const ALONE = new Set(["Shift", "Control", "Meta", "Alt", "Tab"]);

/** Waits for one press and makes it the binding's key. Escape leaves it as it was. */
export function Rebind({ binding, own }: RebindProps) {
  const [waiting, setWaiting] = useState(false);
  const press = (event: KeyboardEvent) => {
    if (!waiting || ALONE.has(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    setWaiting(false);
    if (event.key !== "Escape") prefer({ keys: { ...own, [binding.id]: written(event) } });
  };
  const restore = () => prefer({ keys: Object.fromEntries(Object.entries(own).filter(([id]) => id !== binding.id)) });
  return (
    <span className="flex">
      <IconButton
        icon={Keyboard}
        label={waiting ? `Press the key for: ${binding.title}` : `Change the key for: ${binding.title}`}
        pressed={waiting}
        onClick={() => setWaiting(!waiting)}
        onKeyDown={press}
        onBlur={() => setWaiting(false)}
      />
      <IconButton
        icon={RotateCcw}
        label={`Restore the key for: ${binding.title}`}
        disabled={own[binding.id] === undefined}
        onClick={restore}
      />
    </span>
  );
}

function written(event: KeyboardEvent): string {
  const held = [event.ctrlKey && "Control", event.metaKey && "Meta", event.altKey && "Alt"].filter(Boolean);
  return [...held, event.key].join("+");
}
