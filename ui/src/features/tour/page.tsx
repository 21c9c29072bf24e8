import { Button } from "@/kit/button";
import { Empty, Loading } from "@/kit/state";
import { useStore } from "@/kit/use-store";
import { Checklist } from "./checklist";
import { dismiss, progress } from "./stores";
import { useSample } from "./use-sample";

/** The tour on a page of its own, for whoever put it away. */
export default function TourPage() {
  const { repository, isPending } = useSample();
  const { dismissed } = useStore(progress);
  return (
    <div className="mx-auto max-w-5xl p-4">
      <header className="mb-3 flex items-center gap-2">
        <h1 className="flex-1 font-semibold text-lg">The sample platform in four steps</h1>
        {dismissed && <Button onClick={() => dismiss(false)}>Show it on the first page again</Button>}
      </header>
      {isPending && <Loading sentence="The sample platform is being looked for." />}
      {repository && <Checklist repository={repository} />}
      {!isPending && !repository && (
        <Empty
          sentence="There is no sample platform here, so there is nothing to tour."
          detail="A first `plumb up` on a fresh folder makes one."
          command="plumb up --data ~/tour"
        />
      )}
    </div>
  );
}
