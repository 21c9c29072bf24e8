import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { Dialog } from "@/kit/dialog";
import { Loading, NotThere } from "@/kit/state";
import type { DrawerKind } from "./feature";
import { useFeatures } from "./features-context";

/** Shows what `?drawer=KIND:ID` names, whatever page is behind it. */
export function Drawer() {
  const { drawer } = useSearch({ strict: false }) as { drawer?: string };
  const navigate = useNavigate();
  const features = useFeatures();
  if (!drawer) return null;
  const colon = drawer.indexOf(":");
  const [kind, id] = [drawer.slice(0, Math.max(colon, 0)), drawer.slice(colon + 1)];
  const found = features.map((each) => each.drawers?.[kind]).find((each): each is DrawerKind => each !== undefined);
  const close = () => void navigate({ to: ".", search: (before: object) => ({ ...before, drawer: undefined }) });
  return (
    <Dialog side="right" title={found?.title(id) ?? "Details"} onClose={close}>
      {found ? (
        <Suspense fallback={<Loading sentence="The details are on their way." />}>
          <found.body id={id} />
        </Suspense>
      ) : (
        <NotThere sentence={`Nothing here shows ${drawer}.`} command="plumb get --help" />
      )}
    </Dialog>
  );
}
