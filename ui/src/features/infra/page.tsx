import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Button } from "@/kit/button";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { CLAIMS, claimsQuery, Listening } from "./api";
import { ClaimsTable } from "./claims-table";
import { type ListSearch, wholeOf } from "./model/listing";
import { claimsRoute, orderedBy } from "./routes";
import { Toolbar } from "./toolbar";

const ABOUT = [CLAIMS];

export default function InfraPage() {
  const search = claimsRoute.useSearch();
  const navigate = claimsRoute.useNavigate();
  const answer = useInfiniteQuery(claimsQuery(orderedBy(search)));
  const list = useMemo(() => answer.data && wholeOf(answer.data.pages), [answer.data]);
  const setSearch = useCallback(
    ({ q, sort }: ListSearch) =>
      void navigate({ search: { ...(q ? { q } : {}), ...(sort ? { sort } : {}) }, replace: true }),
    [navigate],
  );
  return (
    <div className="flex h-full flex-col">
      <Listening topic={CLAIMS} about={ABOUT} />
      <Toolbar search={search} list={list} updatedAt={answer.dataUpdatedAt} onSearch={setSearch} />
      {list?.stale && <Note>The list may be behind what is the case: {list.stale}</Note>}
      {list?.unseen.map(({ kind, why }) => (
        <Note key={kind}>
          {kind} cannot be listed now: {why}
        </Note>
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label="List of claims" className="min-h-0 flex-1 overflow-auto">
        {!list && answer.error && (
          <Failed error={answer.error} what="The claims" onRetry={() => void answer.refetch()} />
        )}
        {answer.isPending && <Loading sentence="The claims are on their way." />}
        {list?.rows.length === 0 && <None q={search.q ?? ""} onAll={() => setSearch({})} />}
        {list && list.rows.length > 0 && <ClaimsTable rows={list.rows} />}
        {answer.hasNextPage && (
          <p className="p-3 text-center">
            <Button disabled={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
              Show more of {list?.total.toLocaleString("en")}
            </Button>
          </p>
        )}
      </section>
    </div>
  );
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <p role="status" className="border-b border-line px-4 py-1.5 text-sm text-outofsync">
    {children}
  </p>
);

/** Nothing found and nothing there are two different things. */
function None({ q, onAll }: { q: string; onAll: () => void }) {
  if (q) {
    return (
      <NothingFound sentence={`No claim fits ${q}.`}>
        <Button onClick={onAll}>Show all claims</Button>
      </NothingFound>
    );
  }
  return (
    <Empty
      sentence="Nobody has claimed anything yet, or nothing that you may see."
      detail="A claim asks the platform for something, such as a database, and says nothing of clouds."
      command="kubectl get compositeresourcedefinitions"
    />
  );
}
