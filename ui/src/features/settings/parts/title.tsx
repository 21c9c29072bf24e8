import type { ReactNode } from "react";

interface TitleProps {
  title: string;
  /** One sentence on what this is. */
  about: ReactNode;
  children?: ReactNode;
}

export function Title({ title, about, children }: TitleProps) {
  return (
    <header className="mb-4 flex flex-wrap items-start gap-2">
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold text-base">{title}</h2>
        <p className="text-sm text-soft">{about}</p>
      </div>
      {children}
    </header>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mb-6">
      <h3 className="mb-1.5 font-semibold text-sm">{title}</h3>
      {children}
    </section>
  );
}
