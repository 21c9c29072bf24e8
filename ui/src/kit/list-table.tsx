import type { ReactNode } from "react";

interface ListTableProps {
  caption: string;
  titles: readonly string[];
  children: ReactNode;
}

/** The frame of a list that fills its page: its head stays in sight. */
export function ListTable({ caption, titles, children }: ListTableProps) {
  return (
    <table className="w-full min-w-[52rem] border-collapse text-left text-sm">
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 bg-surface text-soft shadow-[0_1px_0_var(--line)]">
        <tr className="h-9">
          {titles.map((title) => (
            <th key={title} scope="col" className="px-2 font-medium whitespace-nowrap first:pl-4 last:pr-4">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** One line of it; *current* is where the keys stand. */
export function ListRow({ current, children }: { current: boolean; children: ReactNode }) {
  return (
    <tr
      data-current={current || undefined}
      className="h-(--row) border-b border-line hover:bg-hover data-current:shadow-[inset_3px_0_0_var(--accent)] [&>td]:px-2 [&>td:last-child]:pr-4 [&>th]:px-2 [&>th]:pl-4"
    >
      {children}
    </tr>
  );
}
