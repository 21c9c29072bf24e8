import { Command as Cmdk } from "cmdk";
import type { LucideIcon } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { useAllCommands } from "@/app/commands";
import { useGo } from "@/app/go";
import { Kbd } from "@/kit/kbd";
import { grouped } from "@/kit/model/grouped";
import { useHits } from "./use-hits";

const GROUP =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-soft";
const ITEM = "flex min-h-9 items-center gap-2 rounded-md px-2 data-[selected=true]:bg-chosen";

/** Everything that can be gone to or done, found by typing. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const go = useGo();
  const commands = useAllCommands();
  const { found, pending } = useHits(text);
  const act = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/30" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[10vh] left-1/2 z-50 w-[min(38rem,94vw)] -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-raised shadow-2xl"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Cmdk label="Search and commands" loop>
            <Cmdk.Input
              value={text}
              onValueChange={setText}
              placeholder="Find an application, go somewhere, do something"
              className="h-12 w-full border-b border-line bg-transparent px-4 outline-none"
            />
            <Cmdk.List className="max-h-[60vh] overflow-y-auto p-2">
              <Cmdk.Empty className="px-2 py-6 text-center text-soft">
                {pending ? "Still looking on the server." : `Nothing is called “${text}”. Try part of a name.`}
              </Cmdk.Empty>
              {found.map(({ group, hits }) => (
                <Group key={group} heading={group} shown={hits.length > 0}>
                  {hits.map((hit) => (
                    <Cmdk.Item
                      key={hit.id}
                      value={`${hit.title} ${hit.id} ${text}`}
                      className={ITEM}
                      onSelect={act(() => hit.run(go))}
                    >
                      <Line icon={hit.icon} title={hit.title} />
                      <span className="truncate text-sm text-soft">{hit.detail}</span>
                    </Cmdk.Item>
                  ))}
                </Group>
              ))}
              {[...grouped(commands, (command) => command.group)].map(([group, members]) => (
                <Group key={group} heading={group} shown>
                  {members.map((command) => (
                    <Cmdk.Item
                      key={command.id}
                      value={`${command.title} ${command.id}`}
                      keywords={command.words ? [command.words] : []}
                      className={ITEM}
                      onSelect={act(() => command.run(go))}
                    >
                      <Line icon={command.icon} title={command.title} />
                      {command.keys && <Kbd keys={command.keys} />}
                    </Cmdk.Item>
                  ))}
                </Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, shown, children }: { heading: string; shown: boolean; children: ReactNode }) {
  if (!shown) return null;
  return (
    <Cmdk.Group heading={heading} className={GROUP}>
      {children}
    </Cmdk.Group>
  );
}

function Line({ icon: Icon, title }: { icon?: LucideIcon | undefined; title: string }) {
  return (
    <>
      {Icon && <Icon aria-hidden size={16} className="shrink-0 text-soft" />}
      <span className="min-w-0 flex-1 truncate">{title}</span>
    </>
  );
}
