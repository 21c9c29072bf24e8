import { useState } from "react";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { Command } from "@/kit/command-line";
import { DataTable, type TableColumn } from "@/kit/data-table";
import { Dialog } from "@/kit/dialog";
import { Loading } from "@/kit/state";
import type { Row } from "../model/row";
import { counted, type Outcome, summary } from "../model/sync";
import { useSync } from "./use-sync";

const COLUMNS: TableColumn<Outcome>[] = [
  { accessorKey: "name", header: "Application" },
  { accessorKey: "changes", header: "Create or change" },
  { accessorKey: "prunes", header: "Prune" },
  { id: "result", accessorFn: (outcome) => outcome.refused || "accepted", header: "Answer" },
];
const LISTED = 5;

interface SyncPanelProps {
  rows: readonly Row[];
  onClose: () => void;
}

/** Plans first: nothing can be started whose effect was not shown. */
export default function SyncPanel({ rows, onClose }: SyncPanelProps) {
  const [prune, setPrune] = useState(false);
  const sync = useSync(rows);
  const shown = sync.data;
  const planned = shown?.options.dryRun === true && shown.options.prune === prune;
  const footer = (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button disabled={sync.isPending} onClick={() => sync.mutate({ dryRun: true, prune })}>
        Dry run
      </Button>
      <Button
        look="primary"
        disabled={!planned || sync.isPending}
        onClick={() => sync.mutate({ dryRun: false, prune })}
      >
        Sync {counted(rows.length, "application")}
      </Button>
    </>
  );
  return (
    <Dialog
      side="right"
      title={`Sync ${counted(rows.length, "application")}`}
      description="A dry run first says what would happen; only then can it be started."
      onClose={onClose}
      footer={footer}
    >
      <div className="flex flex-col gap-4">
        <Checkbox
          label="Prune: delete what is no longer in Git"
          checked={prune}
          disabled={sync.isPending}
          onToggle={setPrune}
        />
        <Command line={commandFor(rows, prune)} />
        {sync.isPending && <Loading sentence={`Asking for ${counted(rows.length, "application")}.`} />}
        {shown && !sync.isPending && (
          <>
            <p role="status" className="font-medium">
              {summary(shown.outcomes, shown.options)}
            </p>
            <DataTable
              caption={shown.options.dryRun ? "What a sync would do" : "What was started"}
              columns={COLUMNS}
              rows={shown.outcomes}
              rowId={(outcome) => outcome.key}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

function commandFor(rows: readonly Row[], prune: boolean): string {
  const names = rows.slice(0, LISTED).map((row) => row.name);
  const rest = rows.length > LISTED ? " …" : "";
  return `plumb app sync ${names.join(" ")}${rest} --dry-run${prune ? " --prune" : ""}`;
}
