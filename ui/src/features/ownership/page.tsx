import { Empty } from "@/kit/state";

export default function OwnershipPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Ownership</h1>
      <Empty sentence="Who owns what is explained in the terminal." command="plumb own --help" />
    </>
  );
}
