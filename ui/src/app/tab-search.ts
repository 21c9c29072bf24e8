import { useNavigate, useSearch } from "@tanstack/react-router";

/** What is behind `?` for a part of a page that has no route of its own. A change without a value takes its parameter away. */
export function useTabSearch<T extends object>(
  read: (search: Record<string, unknown>) => T,
): [T, (changed: Partial<Record<keyof T, unknown>>) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const write = (changed: Partial<Record<keyof T, unknown>>) => {
    const kept = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value || undefined]));
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...kept }), replace: true });
  };
  return [read(search), write];
}
