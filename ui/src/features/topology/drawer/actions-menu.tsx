import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Zap } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import type { Branch } from "@/graph/forest";
import { Menu, MenuItem, MenuLine } from "@/kit/menu";
import { actionsQuery, deleteResource, runAction, treeQuery } from "../api";
import { type Weighed, weighAction, weighDeletion } from "../model/friction";
import type { Address, Resource } from "../model/resource";
import type { WireAction } from "../model/wire";
import { ConfirmAction } from "./confirm-action";

const UNDO_MS = 6_000;

/** Something to do, with what it takes to have it done. */
export interface Wish {
  title: string;
  weighed: Weighed;
  parameters: readonly string[];
  run: (parameters: Record<string, string>) => Promise<unknown>;
}

/** What can be done with the object. The more it would touch, the more is asked first. */
export function ActionsMenu({ address, branch }: { address: Address; branch: Branch<Resource> }) {
  const { data: actions, error } = useQuery(actionsQuery(address));
  const [asked, setAsked] = useState<Wish>();
  const carry = useCarry(address);
  const wanted = (wish: Wish) => {
    if (wish.parameters.length > 0) setAsked(wish);
    else if (wish.weighed.friction === "none") void carry(wish, {});
    else if (wish.weighed.friction === "undo") later(wish, () => void carry(wish, {}));
    else setAsked(wish);
  };
  const wishes = (actions ?? []).map((action) => ({ action, wish: wishOf(action, address, branch) }));
  return (
    <>
      <Menu icon={Zap} label="Actions">
        {wishes.map(({ action, wish }) => (
          <MenuItem key={action.name} disabled={action.disabled === true} onSelect={() => wanted(wish)}>
            {wish.title}
            {wish.weighed.friction !== "none" && "…"}
          </MenuItem>
        ))}
        {error && <p className="px-2 py-1 text-sm text-soft">Its own actions could not be read: {error.message}</p>}
        {wishes.length > 0 && <MenuLine />}
        <MenuItem onSelect={() => wanted(deletion(address, branch))}>Delete…</MenuItem>
      </Menu>
      {asked && (
        <ConfirmAction
          wish={asked}
          name={address.name}
          onClose={() => setAsked(undefined)}
          onConfirm={(parameters) => {
            setAsked(undefined);
            void carry(asked, parameters);
          }}
        />
      )}
    </>
  );
}

function wishOf(action: WireAction, address: Address, branch: Branch<Resource>): Wish {
  const title = action.displayName || action.name;
  return {
    title: title.slice(0, 1).toUpperCase() + title.slice(1),
    weighed: weighAction(action.name, branch),
    parameters: (action.params ?? []).map((each) => each.name),
    run: (parameters) => runAction(address, action.name, parameters),
  };
}

const deletion = (address: Address, branch: Branch<Resource>): Wish => ({
  title: "Delete",
  weighed: weighDeletion(branch),
  parameters: [],
  run: () => deleteResource(address),
});

/** Waits a while in which it can be taken back. */
function later(wish: Wish, act: () => void): void {
  const timer = setTimeout(act, UNDO_MS);
  toast.message(wish.weighed.effect, {
    duration: UNDO_MS,
    action: { label: "Undo", onClick: () => clearTimeout(timer) },
  });
}

function useCarry(address: Address) {
  const queryClient = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: ({ wish, parameters }: { wish: Wish; parameters: Record<string, string> }) => wish.run(parameters),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: treeQuery(address.appNamespace, address.app).queryKey });
      void queryClient.invalidateQueries({ queryKey: ["resource"] });
      void queryClient.invalidateQueries({ queryKey: ["resource-actions"] });
    },
  });
  return async (wish: Wish, parameters: Record<string, string>) => {
    const named = `${address.kind} ${address.name}`;
    try {
      await mutateAsync({ wish, parameters });
      toast.success(`${wish.title}: done to ${named}`);
    } catch (failure) {
      toast.error(`${wish.title}: refused for ${named}`, {
        description: failure instanceof Error ? failure.message : String(failure),
        duration: 15_000,
      });
    }
  };
}
