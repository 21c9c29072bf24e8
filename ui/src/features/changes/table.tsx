import { useGo } from "@/app/go";
import { Ago } from "@/kit/ago";
import { KindMark } from "./mark";
import { drawerId, thingText } from "./model/entry";
import type { Entry } from "./model/wire";

export function EntryTable({ entries }: { entries: readonly Entry[] }) {
  const go = useGo();
  return (
    <table className="w-full border-collapse text-left text-sm">
      <caption className="sr-only">What happened, the newest first</caption>
      <thead className="sticky top-0 bg-surface">
        <tr className="border-line border-b text-soft">
          {["What", "When", "Who", "Verb", "Object", "What happened"].map((title) => (
            <th key={title} scope="col" className="px-3 py-1.5 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id} className="h-(--row) border-line border-b hover:bg-hover">
            <th scope="row" className="px-3 font-normal">
              <KindMark kind={entry.kind} />
            </th>
            <td className="px-3 text-soft">
              <Ago at={entry.at} />
            </td>
            <td className="max-w-48 truncate px-3">{entry.actor.name}</td>
            <td className="px-3">{entry.verb}</td>
            <td className="max-w-72 truncate px-3">{thingText(entry.subject)}</td>
            <td className="px-3">
              <button
                type="button"
                className="min-h-6 text-left underline decoration-line hover:decoration-current"
                onClick={() => go.drawer("change", drawerId(entry))}
              >
                {entry.summary || "Details"}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
