import { CircleCheck, CircleHelp, OctagonX } from "lucide-react";
import { StatusMark } from "@/kit/status";
import type { ConnectionState } from "../model/wire";

/** Whether something answers. Where nobody has tried, that is what it says. */
export function Connection({ state }: { state: ConnectionState | undefined }) {
  if (state?.status === "Successful") return <StatusMark icon={CircleCheck} colour="text-healthy" word="Connected" />;
  if (state?.status === "Failed") {
    return (
      <span className="flex flex-col">
        <StatusMark icon={OctagonX} colour="text-degraded" word="Does not connect" />
        <span className="text-soft text-xs">{state.message}</span>
      </span>
    );
  }
  return <StatusMark icon={CircleHelp} colour="text-unknown" word="Not tried" />;
}
