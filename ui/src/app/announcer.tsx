import { useEffect, useState } from "react";

const BATCH_MS = 5_000;
const MOST = 3;
let waiting: string[] = [];

/** Says something to those who hear the page. What comes within five seconds is said together. */
export function announce(sentence: string): void {
  waiting.push(sentence);
}

export function Announcer() {
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setInterval(() => {
      if (waiting.length === 0) return;
      const more = waiting.length - MOST;
      setSaid(waiting.slice(0, MOST).join(". ") + (more > 0 ? `. And ${more} more` : ""));
      waiting = [];
    }, BATCH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
