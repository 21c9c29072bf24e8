import { Bookmark } from "lucide-react";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { Button } from "@/kit/button";
import { Dialog } from "@/kit/dialog";
import { Field } from "@/kit/field";
import { Menu, MenuItem, MenuLine } from "@/kit/menu";
import { useStore } from "@/kit/use-store";
import type { ListSearch } from "../model/search";
import { type SavedView, sameView, USUAL_VIEWS, withView } from "../model/views";
import { savedViews } from "../stores";

interface ViewsMenuProps {
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
}

/** Filters, order and shape under a name. The URL holds the same, for sending it to somebody. */
export function ViewsMenu({ search, onSearch }: ViewsMenuProps) {
  const own = useStore(savedViews);
  const [naming, setNaming] = useState(false);
  const current = [...own, ...USUAL_VIEWS].find((view) => sameView(view.search, search));
  return (
    <>
      <Menu icon={Bookmark} label={current?.name ?? "Views"}>
        {[...USUAL_VIEWS, ...own].map((view) => (
          <MenuItem key={view.name} onSelect={() => onSearch(view.search)}>
            {view.name}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => setNaming(true)}>Save this view</MenuItem>
        {current && own.includes(current) && (
          <MenuItem onSelect={() => forget(current)}>Forget “{current.name}”</MenuItem>
        )}
      </Menu>
      {naming && <SaveView search={search} onClose={() => setNaming(false)} />}
    </>
  );
}

function forget(view: SavedView): void {
  const before = savedViews.get();
  savedViews.set(before.filter((each) => each.name !== view.name));
  toast.message(`The view “${view.name}” is forgotten`, {
    action: { label: "Undo", onClick: () => savedViews.set(before) },
  });
}

function SaveView({ search, onClose }: { search: ListSearch; onClose: () => void }) {
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name")).trim();
    if (!name) return;
    savedViews.set((before) => withView(before, { name, search }));
    onClose();
  };
  return (
    <Dialog title="Save this view" description="It stays in this browser; its link works everywhere." onClose={onClose}>
      <form onSubmit={save} className="flex flex-col gap-3">
        <Field label="Name" name="name" required maxLength={60} autoFocus />
        <Button type="submit" look="primary" className="self-end">
          Save
        </Button>
      </form>
    </Dialog>
  );
}
