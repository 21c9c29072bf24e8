import { ChevronDown, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./button";

interface MenuProps {
  label: string;
  icon?: LucideIcon;
  children: ReactNode;
}

export function Menu({ label, icon, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button {...(icon ? { icon } : {})}>
          {label}
          <ChevronDown aria-hidden size={14} />
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent>{children}</MenuContent>
    </DropdownMenu.Root>
  );
}

export function MenuContent({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        className="z-40 max-h-[70vh] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  );
}

const ITEM =
  "flex min-h-8 items-center gap-2 rounded-md px-2 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50";

interface MenuItemProps {
  children: ReactNode;
  onSelect: () => unknown;
  disabled?: boolean;
}

export function MenuItem({ children, onSelect, disabled = false }: MenuItemProps) {
  return (
    <DropdownMenu.Item className={ITEM} disabled={disabled} onSelect={() => void onSelect()}>
      {children}
    </DropdownMenu.Item>
  );
}

interface MenuChoiceProps<T extends string> {
  title: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChoose: (value: T) => void;
}

export function MenuChoice<T extends string>({ title, value, options, onChoose }: MenuChoiceProps<T>) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as T)}>
      <DropdownMenu.Label className="px-2 pt-2 pb-1 text-xs text-soft">{title}</DropdownMenu.Label>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={ITEM}>
          <span aria-hidden className="w-3 text-accent">
            {option.value === value ? "●" : ""}
          </span>
          {option.label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuSwitch(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <DropdownMenu.CheckboxItem className={ITEM} checked={props.checked} onCheckedChange={props.onChange}>
      <span aria-hidden className="w-3 text-accent">
        {props.checked ? "✓" : ""}
      </span>
      {props.label}
    </DropdownMenu.CheckboxItem>
  );
}

export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
