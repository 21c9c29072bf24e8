import { Link, Outlet } from "@tanstack/react-router";
import { PLACES } from "./model/places";

/** The parts of the settings beside the one that is open. */
export default function SettingsPage() {
  return (
    <div className="flex h-full flex-col md:flex-row">
      <nav aria-label="Settings" className="shrink-0 border-line border-b p-3 md:w-48 md:border-r md:border-b-0">
        <h1 className="mb-2 px-2 font-semibold text-base">Settings</h1>
        <ul className="flex gap-0.5 overflow-x-auto md:flex-col">
          {PLACES.map(({ to, title }) => (
            <li key={to}>
              <Link
                to={to}
                activeProps={{ "aria-current": "page", className: "bg-chosen text-ink font-medium" }}
                inactiveProps={{ className: "text-soft hover:bg-hover hover:text-ink" }}
                className="flex h-8 items-center rounded-md px-2.5 text-sm"
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section aria-label="Settings" tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-auto p-4">
        <Outlet />
      </section>
    </div>
  );
}
