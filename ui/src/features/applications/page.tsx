import { useCallback, useMemo, useState } from "react";
import type { Question } from "./api";
import { Facets } from "./filters/facets";
import { ApplicationList } from "./list/list";
import { useListing, useLiveListing } from "./list/use-listing";
import { useSelection } from "./list/use-selection";
import { type ListSearch, orderOf } from "./model/search";
import { Pinned } from "./pinned";
import { applicationsRoute } from "./routes";
import { SelectionBar } from "./sync/selection-bar";
import { Toolbar } from "./toolbar";

const FIRST: readonly number[] = [0];

export default function ApplicationsPage() {
  const { q, sort, view, group } = applicationsRoute.useSearch();
  const navigate = applicationsRoute.useNavigate();
  const search = useMemo<ListSearch>(
    () => ({ ...(q ? { q } : {}), ...(sort ? { sort } : {}), ...(view ? { view } : {}), ...(group ? { group } : {}) }),
    [q, sort, view, group],
  );
  const question = useMemo<Question>(() => ({ q: q ?? "", order: orderOf(search) }), [q, search]);
  const [offsets, setOffsets] = useState(FIRST);
  const listing = useListing(question, offsets);
  const selection = useSelection();
  useLiveListing();

  const setSearch = useCallback((changed: ListSearch) => void navigate({ search: changed }), [navigate]);
  const setQuery = useCallback(
    // Typing is one step back, not as many as letters.
    (changed: string) => void navigate({ search: { ...search, q: changed || undefined } as ListSearch, replace: true }),
    [navigate, search],
  );
  return (
    <div className="flex h-full flex-col">
      <Toolbar
        search={search}
        total={listing.pending ? undefined : listing.counts.total}
        onSearch={setSearch}
        onQuery={setQuery}
      />
      {listing.behind && (
        <p role="status" className="border-b border-line px-4 py-1.5 text-sm text-outofsync">
          The list may be behind what is the case: {listing.behind}
        </p>
      )}
      <Pinned />
      <div className="flex min-h-0 flex-1">
        <Facets counts={listing.counts} query={question.q} onQuery={setQuery} />
        <ApplicationList
          search={search}
          question={question}
          listing={listing}
          selection={selection}
          onLook={setOffsets}
          onSearch={setSearch}
        />
      </div>
      <SelectionBar selection={selection} />
    </div>
  );
}
