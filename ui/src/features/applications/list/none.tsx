import { Button } from "@/kit/button";
import { Empty, NothingFound } from "@/kit/state";

/** Nothing found and nothing there are two different things. */
export function NoApplications({ query, onClear }: { query: string; onClear: () => void }) {
  if (query) {
    return (
      <NothingFound sentence={`No application fits ${query}.`} command="plumb app list">
        <Button onClick={onClear}>Show all applications</Button>
      </NothingFound>
    );
  }
  return (
    <Empty
      sentence="There are no applications yet, or none that you may see."
      detail="An application says which part of a Git repository belongs into which cluster."
      command="plumb app create --help"
    />
  );
}
