import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, RefreshCw } from "lucide-react";
import { useMemo } from "react";
import { Listening } from "@/features/infra/api";
import { Button, IconButton } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { changesQuery, exportAddress } from "./api";
import { Filters } from "./filters";
import { type ChangesSearch, changesSearchOf } from "./model/search";
import { changesRoute } from "./routes";
import { EntryTable } from "./table";

const LISTED = ["changes", "list"];

/** Who did what, when and why, as the journal has it. */
export default function ChangesPage() {
  const whole = changesRoute.useSearch();
  const navigate = changesRoute.useNavigate();
  const search = useMemo(() => changesSearchOf({ ...whole }), [whole]);
  const asked = useInfiniteQuery(changesQuery(search));
  const entries = asked.data?.pages.flatMap((page) => page.items ?? []) ?? [];
  const filtered = Object.keys(search).length > 0;
  const clear = () => void navigate({ search: {} });
  return (
    <div className="flex h-full flex-col">
      <Listening topic="changes" about={LISTED} />
      <header className="flex flex-wrap items-center gap-2 border-line border-b px-4 py-2">
        <h1 className="flex-1 font-semibold text-base">Changes</h1>
        <Export search={search} />
        <IconButton icon={RefreshCw} label="Ask again" onClick={() => void asked.refetch()} />
        <CopyMenu />
      </header>
      <Filters
        key={JSON.stringify(search)}
        search={search}
        onSearch={(changed: ChangesSearch) => void navigate({ search: changed })}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section aria-label="Changes" tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        {asked.isPending && <Loading sentence="The journal is being read." />}
        {asked.error && <Failed error={asked.error} what="The journal" onRetry={() => void asked.refetch()} />}
        {asked.data && entries.length === 0 && !asked.hasNextPage && <None filtered={filtered} onClear={clear} />}
        {entries.length > 0 && <EntryTable entries={entries} />}
        {asked.hasNextPage && (
          <div className="p-3 text-center">
            <Button disabled={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>
              {asked.isFetchingNextPage ? "Older ones are on their way" : "Show older ones"}
            </Button>
          </div>
        )}
      </section>
    </div>
  );
}

function Export({ search }: { search: ChangesSearch }) {
  return (["csv", "json"] as const).map((format) => (
    <a
      key={format}
      href={exportAddress(search, format)}
      download={`changes.${format}`}
      className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-3 font-medium text-sm hover:bg-hover"
    >
      <Download aria-hidden size={16} />
      {format.toUpperCase()}
    </a>
  ));
}

function None({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered) {
    return (
      <Empty
        sentence="Nothing has happened yet, or nothing that you may see."
        command="plumb account can-i get applications '*'"
      />
    );
  }
  return (
    <NothingFound sentence="Nothing that happened fits.">
      <Button onClick={onClear}>Show everything</Button>
    </NothingFound>
  );
}
