import { Copy } from "lucide-react";
import { copyText } from "@/kit/clipboard";
import { Menu, MenuItem, MenuLine } from "@/kit/menu";
import { yamlOf } from "@/kit/model/yaml";
import { asKubectl, asPlumb } from "../model/commands";
import type { Address } from "../model/resource";

/** The object to take along: as either command, as YAML, as a link. */
export function CopyResource({ address, manifest }: { address: Address; manifest: object | undefined }) {
  return (
    <Menu icon={Copy} label="Copy">
      <MenuItem onSelect={() => copyText(asKubectl(address), "kubectl command")}>Copy as kubectl</MenuItem>
      <MenuItem onSelect={() => copyText(asPlumb(address), "plumb command")}>Copy as plumb</MenuItem>
      <MenuItem disabled={!manifest} onSelect={() => copyText(yamlOf(manifest), "YAML")}>
        Copy as YAML
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => copyText(window.location.href, "Link")}>Copy link to this view</MenuItem>
    </Menu>
  );
}
