import { Copy } from "lucide-react";
import { copyText } from "./clipboard";
import { Menu, MenuItem } from "./menu";

interface CopyMenuProps {
  /** The verb that answers the same in a terminal. */
  command?: string | undefined;
  /** Text, or what makes it when asked: it may be large. */
  yaml?: string | (() => string | Promise<string>) | undefined;
  label?: string;
}

/** What one sees, to take along: as a command, as YAML, as a link to exactly this view. */
export function CopyMenu({ command, yaml, label = "Copy" }: CopyMenuProps) {
  return (
    <Menu icon={Copy} label={label}>
      {command && <MenuItem onSelect={() => void copyText(command, "Command")}>Copy as command</MenuItem>}
      {yaml && (
        <MenuItem onSelect={async () => copyText(typeof yaml === "string" ? yaml : await yaml(), "YAML")}>
          Copy as YAML
        </MenuItem>
      )}
      <MenuItem onSelect={() => void copyText(window.location.href, "Link")}>Copy link to this view</MenuItem>
    </Menu>
  );
}
