import { Empty } from "@/kit/state";

export default function SecretsPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Secrets</h1>
      <Empty sentence="Sealed secrets are set in the terminal." command="plumb secret --help" />
    </>
  );
}
