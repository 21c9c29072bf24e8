import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type LogSearch, logQuery } from "./model/search";
import { type LogState, LogStream } from "./stream";

/** The stream that the search asks for; another one for another question. */
export function useLogs(namespace: string, name: string, search: LogSearch, held: boolean): LogState {
  const question = JSON.stringify(logQuery(namespace, search));
  const stream = useMemo(() => new LogStream(name, JSON.parse(question)), [name, question]);
  useEffect(() => stream.start(), [stream]);
  useEffect(() => stream.hold(held), [stream, held]);
  return useSyncExternalStore(stream.watch, stream.snapshot);
}
