import { Empty } from "@/kit/state";

export default function ChangesPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Changes</h1>
      <Empty sentence="What a change would do is shown in the terminal." command="plumb diff --help" />
    </>
  );
}
