import { Link } from "@tanstack/react-router";
import { Checkbox } from "@/kit/checkbox";
import { Command } from "@/kit/command-line";
import { useStore } from "@/kit/use-store";
import { type Step, stepsFor } from "./model/steps";
import { markDone, progress } from "./stores";

/** Four steps. Each can be done here or at a terminal, and is ticked off by hand. */
export function Checklist({ repository }: { repository: string }) {
  const { done } = useStore(progress);
  const steps = stepsFor(repository);
  return (
    <ol aria-label="Steps of the tour" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {steps.map((step, place) => (
        <StepItem key={step.id} step={step} number={place + 1} done={done.includes(step.id)} />
      ))}
    </ol>
  );
}

function StepItem({ step, number, done }: { step: Step; number: number; done: boolean }) {
  return (
    <li className="min-w-0 rounded-md border border-line bg-surface p-3 text-sm">
      <Checkbox
        label={
          <span className={done ? "text-soft" : "font-semibold"}>
            {number}. {step.title}
            {done && " (done)"}
          </span>
        }
        checked={done}
        onToggle={(checked) => markDone(step.id, checked)}
      />
      <p className="my-1">{step.sentence}</p>
      <Link to={step.to} search={step.search ?? {}} className="inline-flex min-h-6 items-center underline">
        {step.watch}
      </Link>
      <details>
        <summary className="min-h-6 cursor-pointer text-soft">
          {step.commands.length === 1 ? "The command" : "The commands"}
          <span className="sr-only"> of step {number}</span>
        </summary>
        <ul className="mt-1 flex flex-col gap-1">
          {step.commands.map((line) => (
            <li key={line} className="min-w-0">
              <Command line={line} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
