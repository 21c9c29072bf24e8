import { Empty } from "@/kit/state";

export default function InfraPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Infra</h1>
      <Empty
        sentence="Claims and what they became in the cloud are shown in the terminal."
        command="plumb tree --help"
      />
    </>
  );
}
