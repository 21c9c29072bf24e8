import { Empty } from "@/kit/state";

export default function SettingsPage() {
  return (
    <>
      <h1 className="px-4 pt-4 text-lg font-semibold">Settings</h1>
      <Empty sentence="Settings are read from Git; the terminal checks them." command="plumb doctor" />
    </>
  );
}
