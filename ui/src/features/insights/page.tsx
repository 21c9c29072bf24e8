import { Empty } from "@/kit/state";

export default function InsightsPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Insights</h1>
      <Empty sentence="How things are is checked in the terminal." command="plumb doctor" />
    </>
  );
}
