import { type ComponentProps, useId } from "react";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  error?: string | undefined;
}

export const INPUT =
  "h-9 w-full rounded-md border border-edge bg-surface px-3 text-ink disabled:opacity-60 aria-invalid:border-degraded";

export function Field({ label, error, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        className={INPUT}
        aria-invalid={Boolean(error)}
        {...(error ? { "aria-describedby": `${id}-error` } : {})}
        {...rest}
      />
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-degraded">
          {error}
        </p>
      )}
    </div>
  );
}
