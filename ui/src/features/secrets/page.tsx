import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Listening } from "@/features/infra/api";
import { type ListSearch, wholeOf } from "@/features/infra/model/listing";
import { Button } from "@/kit/button";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { SECRETS, secretsQuery } from "./api";
import { SealingKeys } from "./keys";
import { secretsRoute } from "./routes";
import { SecretsTable } from "./table";
import { Toolbar } from "./toolbar";

const ABOUT = [SECRETS];

export default function SecretsPage() {
  const search = secretsRoute.useSearch();
  const navigate = secretsRoute.useNavigate();
  const answer = useInfiniteQuery(secretsQuery(search));
  const list = useMemo(() => answer.data && wholeOf(answer.data.pages), [answer.data]);
  const setSearch = useCallback(
    ({ q, sort }: ListSearch) =>
      void navigate({ search: { ...(q ? { q } : {}), ...(sort ? { sort } : {}) }, replace: true }),
    [navigate],
  );
  return (
    <div className="flex h-full flex-col">
      <Listening topic={SECRETS} about={ABOUT} />
      <Toolbar search={search} list={list} updatedAt={answer.dataUpdatedAt} onSearch={setSearch} />
      <SealingKeys />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label="List of secrets" className="min-h-0 flex-1 overflow-auto">
        {!list && answer.error && (
          <Failed error={answer.error} what="The secrets" onRetry={() => void answer.refetch()} />
        )}
        {answer.isPending && <Loading sentence="The secrets are on their way." />}
        {list?.rows.length === 0 && <None q={search.q ?? ""} onAll={() => setSearch({})} />}
        {list && list.rows.length > 0 && <SecretsTable rows={list.rows} />}
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

/** Nothing found and nothing there are two different things. */
function None({ q, onAll }: { q: string; onAll: () => void }) {
  if (q) {
    return (
      <NothingFound sentence={`No secret fits ${q}.`}>
        <Button onClick={onAll}>Show all secrets</Button>
      </NothingFound>
    );
  }
  return (
    <Empty
      sentence="No secret comes from Git or from a store yet, or none that you may see."
      detail="A secret is sealed here or in a terminal, and can then be committed like anything else."
      command="plumb seal --help"
    />
  );
}
