import { lazy, Suspense, useState } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { Button } from "@/kit/button";
import type { Selection } from "../list/use-selection";
import { counted } from "../model/sync";

const SyncPanel = lazy(() => import("./panel"));

/** What can be done with all that is selected. */
export function SelectionBar({ selection }: { selection: Selection }) {
  const [syncing, setSyncing] = useState(false);
  const count = selection.rows.size;
  useKeys([
    {
      id: "applications-sync",
      keys: "s",
      title: "Panel for syncing what is selected",
      group: "List of applications",
      run: () => setSyncing(count > 0),
    },
    {
      id: "applications-unselect",
      keys: "Escape",
      title: "Select nothing",
      group: "List of applications",
      run: selection.clear,
    },
  ]);
  if (count === 0) return null;
  return (
    <section aria-label="Selection" className="flex items-center gap-3 border-t border-line bg-chosen px-4 py-2">
      <span role="status" className="flex-1 font-medium">
        {counted(count, "application")} selected
      </span>
      <Button look="primary" onClick={() => setSyncing(true)}>
        Sync
      </Button>
      <Button onClick={selection.clear}>Select nothing</Button>
      {syncing && (
        <Suspense fallback={null}>
          <SyncPanel rows={[...selection.rows.values()]} onClose={() => setSyncing(false)} />
        </Suspense>
      )}
    </section>
  );
}
