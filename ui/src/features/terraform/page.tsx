import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Listening } from "@/features/infra/api";
import { type ListSearch, wholeOf } from "@/features/infra/model/listing";
import { Button } from "@/kit/button";
import { Empty, Failed, Loading, NothingFound } from "@/kit/state";
import { TERRAFORMS, terraformsQuery } from "./api";
import { terraformsRoute } from "./routes";
import { TerraformTable } from "./table";
import { Toolbar } from "./toolbar";

const ABOUT = [TERRAFORMS];

export default function TerraformPage() {
  const search = terraformsRoute.useSearch();
  const navigate = terraformsRoute.useNavigate();
  const answer = useInfiniteQuery(terraformsQuery(search));
  const list = useMemo(() => answer.data && wholeOf(answer.data.pages), [answer.data]);
  const setSearch = useCallback(
    ({ q, sort }: ListSearch) =>
      void navigate({ search: { ...(q ? { q } : {}), ...(sort ? { sort } : {}) }, replace: true }),
    [navigate],
  );
  return (
    <div className="flex h-full flex-col">
      <Listening topic={TERRAFORMS} about={ABOUT} />
      <Toolbar search={search} list={list} updatedAt={answer.dataUpdatedAt} onSearch={setSearch} />
      {list?.stale && (
        <p role="status" className="border-b border-line px-4 py-1.5 text-sm text-outofsync">
          The list may be behind what is the case: {list.stale}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label="List of Terraform objects" className="min-h-0 flex-1 overflow-auto">
        {!list && answer.error && (
          <Failed error={answer.error} what="The Terraform objects" onRetry={() => void answer.refetch()} />
        )}
        {answer.isPending && <Loading sentence="The Terraform objects are on their way." />}
        {list?.rows.length === 0 && <None q={search.q ?? ""} served={list.served} onAll={() => setSearch({})} />}
        {list && list.rows.length > 0 && <TerraformTable rows={list.rows} />}
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

/** Nothing found, nothing there and no such kind are three different things. */
function None({ q, served, onAll }: { q: string; served: boolean; onAll: () => void }) {
  if (!served) {
    return (
      <Empty
        sentence="This cluster does not know Terraform objects."
        detail="Their kind comes with the product; whoever runs it can see what is amiss."
        command="plumb doctor"
      />
    );
  }
  if (q) {
    return (
      <NothingFound sentence={`No Terraform object fits ${q}.`} command="plumb tf list -A">
        <Button onClick={onAll}>Show all</Button>
      </NothingFound>
    );
  }
  return (
    <Empty
      sentence="There are no Terraform objects yet, or none that you may see."
      detail="One says which folder of a Git repository is planned and, once somebody agrees, applied."
      command="plumb tf --help"
    />
  );
}
