import type { ApplicationTabProps } from "@/app/feature";
import { SyncPanel } from "./panel";

/** What can be done with the application, and what a sync would do. */
export default function SyncTab({ namespace, name }: ApplicationTabProps) {
  return (
    <div className="flex max-w-5xl flex-col gap-4">
      <SyncPanel namespace={namespace} name={name} />
    </div>
  );
}
