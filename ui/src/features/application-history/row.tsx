import { CircleCheck, CircleEllipsis, OctagonX } from "lucide-react";
import { Ago } from "@/kit/ago";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { StatusMark } from "@/kit/status";
import {
  actorText,
  authorText,
  durationText,
  type HistoryItem,
  imageText,
  itemKey,
  messageText,
  revisionText,
} from "./model/history";

const MARKS: Record<string, { icon: typeof CircleCheck; colour: string; word: string }> = {
  Succeeded: { icon: CircleCheck, colour: "text-healthy", word: "Succeeded" },
  Running: { icon: CircleEllipsis, colour: "text-progressing", word: "Under way" },
  Terminating: { icon: CircleEllipsis, colour: "text-progressing", word: "Being ended" },
  Failed: { icon: OctagonX, colour: "text-degraded", word: "Failed" },
  Error: { icon: OctagonX, colour: "text-degraded", word: "Failed" },
};
const UNKNOWN = { icon: CircleEllipsis, colour: "text-unknown", word: "Unknown" };
const IMAGES = 3;
const CELL = "px-2 py-1.5 align-top";

interface HistoryRowProps {
  item: HistoryItem;
  chosen: boolean;
  current: boolean;
  busy: boolean;
  onChoose: (on: boolean) => void;
  onBack: () => void;
}

export function HistoryRow({ item, chosen, current, busy, onChoose, onBack }: HistoryRowProps) {
  const title = item.id === undefined ? "the last operation" : `sync ${item.id}`;
  const images = item.images ?? [];
  const message = messageText(item);
  return (
    <tr className="border-b border-line">
      <td className={CELL}>
        <Checkbox label={`Compare ${title}`} hidden checked={chosen} onToggle={onChoose} />
      </td>
      <th scope="row" className={`${CELL} font-medium whitespace-nowrap`}>
        {item.id === undefined ? "–" : item.id}
        <span className="block font-normal text-soft">
          <Ago at={item.finishedAt ?? item.startedAt ?? ""} />
        </span>
      </th>
      <td className={CELL}>
        <code className="font-mono">{revisionText(item)}</code>
      </td>
      <td className={`${CELL} max-w-96`}>
        {message || <span className="text-soft">not known here</span>}
        {authorText(item) && <span className="block text-soft">{authorText(item)}</span>}
        {item.note && <span className="block italic">{item.note}</span>}
      </td>
      <td className={CELL}>
        <ul>
          {images.slice(0, IMAGES).map((image) => (
            <li key={image} title={image} className="font-mono text-xs">
              {imageText(image)}
            </li>
          ))}
          {images.length > IMAGES && <li className="text-soft">and {images.length - IMAGES} more</li>}
        </ul>
      </td>
      <td className={CELL}>
        <StatusMark {...(MARKS[item.result ?? ""] ?? UNKNOWN)} />
        {item.message && <span className="block max-w-72 text-soft">{item.message}</span>}
      </td>
      <td className={`${CELL} whitespace-nowrap`}>{durationText(item)}</td>
      <td className={CELL}>{actorText(item)}</td>
      <td className={CELL}>
        {current ? (
          <span className="text-soft">live</span>
        ) : (
          item.id !== undefined && (
            <Button disabled={busy} aria-label={`Go back to sync ${itemKey(item)}`} onClick={onBack}>
              Go back…
            </Button>
          )
        )}
      </td>
    </tr>
  );
}
