import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classes } from "./classes";

const LOOKS = {
  plain: "border border-line bg-surface text-ink hover:bg-hover",
  primary: "border border-transparent bg-accent text-on-accent hover:opacity-90",
  quiet: "border border-transparent text-soft hover:bg-hover hover:text-ink",
  danger: "border border-degraded bg-surface text-degraded hover:bg-hover",
} as const;

export type ButtonLook = keyof typeof LOOKS;

interface ButtonProps extends ComponentProps<"button"> {
  look?: ButtonLook;
  icon?: LucideIcon;
}

export function Button({ look = "plain", icon: Icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={classes(
        "inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap disabled:opacity-50",
        LOOKS[look],
        className,
      )}
      {...rest}
    >
      {Icon && <Icon aria-hidden size={16} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What it does, for people who do not see the icon, and as its tooltip. */
  label: string;
  pressed?: boolean;
}

export function IconButton({ icon: Icon, label, pressed, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      className={classes(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-50 aria-pressed:bg-chosen aria-pressed:text-ink",
        className,
      )}
      {...rest}
    >
      <Icon aria-hidden size={17} />
    </button>
  );
}
