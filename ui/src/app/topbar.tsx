import { useQuery } from "@tanstack/react-query";
import { CircleUser, Keyboard, Search } from "lucide-react";
import { useLiveState } from "@/api/live";
import { logOut, sessionQuery } from "@/api/session";
import { IconButton } from "@/kit/button";
import { Kbd } from "@/kit/kbd";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuSwitch } from "@/kit/menu";
import { openSheet } from "./palette/open";
import { type Density, prefer, type Theme, usePreferences } from "./preferences";

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const DENSITIES: readonly { value: Density; label: string }[] = [
  { value: "comfortable", label: "Comfortable" },
  { value: "compact", label: "Compact" },
];

export function Topbar() {
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
      <button
        type="button"
        onClick={() => openSheet.set("palette")}
        className="flex h-8 w-full max-w-xl items-center gap-2 rounded-md border border-edge bg-canvas px-3 text-left text-sm text-soft hover:bg-hover"
      >
        <Search aria-hidden size={16} />
        <span className="flex-1">Search or type a command</span>
        <Kbd keys="$mod+k" />
      </button>
      <span className="flex-1" />
      <LiveMark />
      <IconButton icon={Keyboard} label="Keys" onClick={() => openSheet.set("keys")} />
      <AccountMenu />
    </header>
  );
}

/** Says so when what is shown may be old; says nothing while all is well. */
function LiveMark() {
  const state = useLiveState();
  return (
    <span role="status" className="text-sm text-outofsync">
      {state === "lost" && "Live updates stopped; trying again"}
    </span>
  );
}

function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const { theme, density, contrast } = usePreferences();
  const leave = async () => {
    await logOut().catch(() => undefined);
    window.location.assign(new URL("login", document.baseURI));
  };
  return (
    <Menu label={session?.username || "You"} icon={CircleUser}>
      <MenuChoice title="Theme" value={theme} options={THEMES} onChoose={(chosen) => prefer({ theme: chosen })} />
      <MenuSwitch label="High contrast" checked={contrast} onChange={(checked) => prefer({ contrast: checked })} />
      <MenuLine />
      <MenuChoice title="Rows" value={density} options={DENSITIES} onChoose={(chosen) => prefer({ density: chosen })} />
      <MenuLine />
      <MenuItem onSelect={leave}>Log out</MenuItem>
    </Menu>
  );
}
