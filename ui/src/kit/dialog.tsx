import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./button";
import { classes } from "./classes";

interface DialogProps {
  title: string;
  /** One sentence for people who hear the page. */
  description?: string;
  side?: "centre" | "right";
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}

const PLACE = {
  centre: "top-[12vh] left-1/2 max-h-[76vh] w-[min(40rem,94vw)] -translate-x-1/2 rounded-xl border",
  right: "inset-y-0 right-0 w-[min(46rem,94vw)] border-l",
} as const;

/** Keeps the focus inside and gives it back. To the right it is a drawer, for reading; in the centre, for deciding. */
export function Dialog({ title, description, side = "centre", onClose, children, footer }: DialogProps) {
  // There is no trigger that Radix could know: whoever had the focus gets it back.
  const before = useRef(document.activeElement);
  const giveBack = (event: Event) => {
    event.preventDefault();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 bg-black/30" />
        <Radix.Content
          onCloseAutoFocus={giveBack}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={classes("fixed z-30 flex flex-col border-line bg-surface shadow-2xl outline-none", PLACE[side])}
        >
          <header className="flex items-center gap-3 border-b border-line px-4 py-2">
            <Radix.Title className="min-w-0 flex-1 truncate text-base font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon={X} label="Close" />
            </Radix.Close>
          </header>
          {description && <Radix.Description className="px-4 pt-3 text-sm text-soft">{description}</Radix.Description>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <section aria-label={title} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-4">
            {children}
          </section>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
