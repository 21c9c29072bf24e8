import { useNavigate } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import type { ApplicationTab } from "@/app/feature";

/** The row of tabs. Which one is open is in the URL. */
export function ApplicationTabs({ tabs, open }: { tabs: readonly ApplicationTab[]; open: string }) {
  const navigate = useNavigate();
  return (
    <Tabs.Root
      value={open}
      onValueChange={(tab) => void navigate({ to: ".", search: { tab } })}
      activationMode="manual"
    >
      <Tabs.List
        aria-label="Parts of the application"
        className="mt-2 flex gap-1 overflow-x-auto border-b border-line px-4"
      >
        {tabs.map(({ id, title, icon: Icon }) => (
          <Tabs.Trigger
            key={id}
            value={id}
            aria-controls="tab"
            className="flex h-9 items-center gap-1.5 border-b-2 border-transparent px-3 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {Icon && <Icon aria-hidden size={15} />}
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
    </Tabs.Root>
  );
}
