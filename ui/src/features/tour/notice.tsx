import { useLocation } from "@tanstack/react-router";
import { X } from "lucide-react";
import { IconButton } from "@/kit/button";
import { useStore } from "@/kit/use-store";
import { Checklist } from "./checklist";
import { dismiss, progress } from "./stores";
import { useSample } from "./use-sample";

/** The tour above the first page, where the sample platform is and nobody has put it away. */
export default function TourNotice() {
  const path = useLocation({ select: (location) => location.pathname });
  const { dismissed } = useStore(progress);
  return path === "/applications" && !dismissed ? <Shown /> : null;
}

function Shown() {
  const { repository } = useSample();
  if (!repository) return null;
  return (
    <section aria-label="Tour" className="max-h-[45vh] overflow-auto border-line border-b bg-canvas p-4">
      <header className="mb-2 flex items-center gap-2">
        <h2 className="flex-1 font-semibold text-base">The sample platform in four steps</h2>
        <IconButton icon={X} label="Put the tour away" onClick={() => dismiss(true)} />
      </header>
      <Checklist repository={repository} />
    </section>
  );
}
