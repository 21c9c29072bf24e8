import type { ComponentProps, ReactNode } from "react";

interface CheckboxProps extends Omit<ComponentProps<"input">, "type" | "onChange" | "onToggle"> {
  label: ReactNode;
  hidden?: boolean;
  onToggle: (checked: boolean) => void;
}

/** A native checkbox with its label; `hidden` leaves the label to those who hear the page. */
export function Checkbox({ label, hidden = false, onToggle, className, ...rest }: CheckboxProps) {
  return (
    <label className={`inline-flex min-h-6 min-w-6 items-center gap-2 text-sm ${hidden ? "justify-center" : ""}`}>
      <input
        type="checkbox"
        className={`size-4 shrink-0 accent-(--accent) ${className ?? ""}`}
        onChange={(event) => onToggle(event.currentTarget.checked)}
        {...rest}
      />
      <span className={hidden ? "sr-only" : "inline-flex min-w-0"}>{label}</span>
    </label>
  );
}
