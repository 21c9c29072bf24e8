import { CircleSlash, Inbox, LoaderCircle, Lock, type LucideIcon, PlugZap, SearchX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "@/api/errors";
import { Button } from "./button";
import { Command } from "./command-line";

interface StateProps {
  /** One sentence: what is the case. */
  sentence: ReactNode;
  /** What to type next. */
  command?: string | undefined;
  detail?: ReactNode;
  children?: ReactNode;
}

interface FrameProps extends StateProps {
  icon: LucideIcon;
  role?: "status" | "alert";
  spins?: boolean;
}

/** Every way of having nothing to show has a sentence and a way on. */
function State({ icon: Icon, sentence, command, detail, children, role = "status", spins = false }: FrameProps) {
  return (
    <div role={role} className="mx-auto flex max-w-xl flex-col items-center gap-3 px-6 py-14 text-center">
      <Icon aria-hidden size={28} className={spins ? "animate-spin text-soft" : "text-soft"} />
      <p className="text-ink">{sentence}</p>
      {detail && <p className="text-sm text-soft break-words">{detail}</p>}
      {command && <Command line={command} />}
      {children && <div className="flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

export const Loading = (props: StateProps) => <State icon={LoaderCircle} spins {...props} />;
export const Empty = (props: StateProps) => <State icon={Inbox} {...props} />;
export const NothingFound = (props: StateProps) => <State icon={SearchX} {...props} />;
export const NotThere = (props: StateProps) => <State icon={CircleSlash} {...props} />;
export const Forbidden = (props: StateProps) => <State icon={Lock} {...props} />;

interface FailedProps {
  error: unknown;
  /** What was wanted, for the sentence: "The applications". */
  what: string;
  onRetry?: () => void;
}

/** The honest state behind an error: forbidden, missing, unreachable and failed are four different things. */
export function Failed({ error, what, onRetry }: FailedProps) {
  const retry = onRetry && (
    <Button look="primary" onClick={onRetry}>
      Try again
    </Button>
  );
  if (!(error instanceof ApiError)) {
    return (
      <State icon={TriangleAlert} role="alert" sentence={`${what} could not be shown.`} detail={String(error)}>
        {retry}
      </State>
    );
  }
  const [hintText, hintCommand] = split(error.hint);
  if (error.status === 403) {
    return (
      <Forbidden
        sentence={`${what} may not be seen by you.`}
        detail={error.message}
        command={hintCommand || "plumb account can-i get applications '*'"}
      >
        {retry}
      </Forbidden>
    );
  }
  if (error.status === 404) {
    return (
      <NotThere sentence={`${what} cannot be found.`} detail={error.message} command={hintCommand}>
        {retry}
      </NotThere>
    );
  }
  if (error.unreachable) {
    return (
      <State
        icon={PlugZap}
        role="alert"
        sentence="The server does not answer."
        detail={error.message}
        command="plumb doctor"
      >
        {retry}
      </State>
    );
  }
  return (
    <State
      icon={TriangleAlert}
      role="alert"
      sentence={`${what} could not be read.`}
      detail={[error.message, hintText].filter(Boolean).join(" — ")}
      command={hintCommand}
    >
      {retry}
    </State>
  );
}

/** A hint may name a command in backquotes: that is what one wants to copy. */
function split(hint: string): [text: string, command: string | undefined] {
  return [hint, /`([^`]+)`/.exec(hint)?.[1]];
}
