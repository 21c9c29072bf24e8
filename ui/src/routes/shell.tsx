import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Announcer } from "@/app/announcer";
import { Drawer } from "@/app/drawer";
import { useFeatures } from "@/app/features-context";
import { openSheet } from "@/app/palette/open";
import { Rail } from "@/app/rail";
import { useShellKeys } from "@/app/shell-keys";
import { Topbar } from "@/app/topbar";
import { Loading } from "@/kit/state";
import { useStore } from "@/kit/use-store";

const Palette = lazy(() => import("@/app/palette/palette"));
const KeySheet = lazy(() => import("@/app/keys/sheet"));

export default function Shell() {
  useShellKeys();
  return (
    <div className="flex h-full">
      <button
        type="button"
        onClick={() => document.getElementById("content")?.focus()}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the content
      </button>
      <Rail />
      <div className="flex min-w-0 flex-1 flex-col">
        <Topbar />
        <Notices />
        <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
          <Suspense fallback={<Loading sentence="The page is on its way." />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Drawer />
      <Sheets />
      <Announcer />
    </div>
  );
}

function Notices() {
  const notices = useFeatures().flatMap(({ id, notices = [] }) => notices.map((Body, place) => ({ id, place, Body })));
  return notices.map(({ id, place, Body }) => (
    <Suspense key={`${id} ${place}`} fallback={null}>
      <Body />
    </Suspense>
  ));
}

function Sheets() {
  const sheet = useStore(openSheet);
  const close = () => openSheet.set("");
  return (
    <Suspense fallback={null}>
      {sheet === "palette" && <Palette onClose={close} />}
      {sheet === "keys" && <KeySheet onClose={close} />}
    </Suspense>
  );
}
