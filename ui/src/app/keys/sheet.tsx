import { prefer, usePreferences } from "@/app/preferences";
import { Checkbox } from "@/kit/checkbox";
import { Dialog } from "@/kit/dialog";
import { Kbd } from "@/kit/kbd";
import { grouped } from "@/kit/model/grouped";
import { useStore } from "@/kit/use-store";
import { Rebind } from "./rebind";
import { bindings, type KeyBinding } from "./registry";

/** Every key that does something here, each of which can be changed. */
export default function KeySheet({ onClose }: { onClose: () => void }) {
  const all = useStore(bindings);
  const { keys: own, singleKeys } = usePreferences();
  return (
    <Dialog title="Keys" description="None of them changes anything in a cluster." onClose={onClose}>
      <Checkbox
        label="Keys without a modifier are on"
        checked={singleKeys}
        onToggle={(checked) => prefer({ singleKeys: checked })}
      />
      {[...sections(all)].map(([group, members]) => (
        <section key={group} className="mt-4">
          <h3 className="mb-1 text-sm font-semibold text-soft">{group}</h3>
          <ul>
            {members.map((binding) => (
              <li key={binding.id} className="flex min-h-9 items-center gap-3 border-b border-line">
                <span className="flex-1">{binding.title}</span>
                <Kbd keys={own[binding.id] ?? binding.keys} />
                <Rebind binding={binding} own={own} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}

function sections(all: readonly KeyBinding[]): Map<string, KeyBinding[]> {
  const unique = new Map(all.map((binding) => [binding.id, binding]));
  return grouped(unique.values(), (binding) => binding.group);
}
