import { Empty } from "@/kit/state";

export default function TerraformPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Terraform</h1>
      <Empty sentence="Plans and approvals are shown in the terminal." command="plumb tf --help" />
    </>
  );
}
