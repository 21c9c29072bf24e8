import { Link } from "@tanstack/react-router";
import { useFeatures } from "./features-context";

/** The rooms, always there. On a narrow screen their names give way to the icons. */
export function Rail() {
  const entries = useFeatures().flatMap((each) => each.rail ?? []);
  return (
    <nav aria-label="Rooms" className="flex w-14 shrink-0 flex-col border-r border-line bg-surface py-2 lg:w-44">
      <Link to="/" className="mx-2 mb-2 flex h-9 items-center gap-2 rounded-md px-2 font-semibold">
        <Plumb />
        <span className="hidden lg:inline">Plumbline</span>
      </Link>
      <ul className="flex flex-col gap-0.5 px-2">
        {entries.map(({ to, title, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              title={title}
              activeOptions={{ exact: false, includeSearch: false }}
              activeProps={{ "aria-current": "page", className: "bg-chosen text-ink font-medium" }}
              inactiveProps={{ className: "text-soft hover:bg-hover hover:text-ink" }}
              className="flex h-9 items-center gap-2.5 rounded-md px-2.5"
            >
              <Icon aria-hidden size={18} className="shrink-0" />
              <span className="sr-only lg:not-sr-only">{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Plumb() {
  return (
    <svg aria-hidden viewBox="0 0 24 24" width="20" height="20" className="shrink-0 text-accent">
      <path d="M12 2v9" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <path d="M7.5 11h9L12 22z" fill="currentColor" />
    </svg>
  );
}
