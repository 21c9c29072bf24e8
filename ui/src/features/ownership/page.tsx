import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { FormEvent } from "react";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Field } from "@/kit/field";
import { Empty, Failed, Loading } from "@/kit/state";
import { contestedQuery } from "./api";
import { Explanation } from "./explanation";
import { nameOf, resourceText } from "./model/words";
import { ownershipRoute } from "./routes";
import { Sides } from "./sides";

export default function OwnershipPage() {
  const { object = "" } = ownershipRoute.useSearch();
  const navigate = ownershipRoute.useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const said = String(new FormData(event.currentTarget).get("object")).trim();
    void navigate({ search: said ? { object: said } : {} });
  };
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
      <header className="flex items-center gap-2">
        <div className="flex-1">
          <h1 className="font-semibold text-lg">Ownership</h1>
          <p className="text-sm text-soft">
            Everything has one owner. Whoever comes second is refused, before anything is written.
          </p>
        </div>
        {!object && <CopyMenu command="plumb own list" />}
      </header>
      <form aria-label="Lookup" key={object} onSubmit={submit} className="flex items-end gap-2">
        <div className="flex-1">
          <Field
            label="Whose is it?"
            name="object"
            defaultValue={object}
            spellCheck={false}
            placeholder="apps/Deployment/commerce/order-service, Secret/shop/db, or an ARN"
          />
        </div>
        <Button type="submit" look="primary" icon={Search} className="h-9">
          Look it up
        </Button>
      </form>
      {object ? <Explanation said={object} /> : <AllContested />}
    </div>
  );
}

function AllContested() {
  const { data, error, isPending, refetch } = useQuery(contestedQuery);
  if (isPending) return <Loading sentence="Every object is being looked at, which takes a moment." />;
  if (error) return <Failed error={error} what="What is contested" onRetry={() => void refetch()} />;
  if (data.length === 0) {
    return <Empty sentence="Nothing is claimed twice, of what you may see." command="plumb own list" />;
  }
  return (
    <section aria-label="Contested">
      <h2 className="mb-2 font-semibold text-base">Claimed by more than one: {data.length}</h2>
      <ul className="flex flex-col gap-4">
        {data.map(({ resource, claims }) => (
          <li key={nameOf(resource)}>
            <h3 className="mb-1">
              <Link
                to="/ownership"
                search={{ object: nameOf(resource) }}
                className="inline-flex min-h-6 items-center font-medium underline"
              >
                {resourceText(resource)}
              </Link>
            </h3>
            <Sides claims={claims} owner={null} />
          </li>
        ))}
      </ul>
    </section>
  );
}
