import { ExternalLink } from "lucide-react";

/** A page elsewhere, as the settings of the installation, or an object, name it. */
export interface OutwardLink {
  title: string;
  url: string;
  description?: string;
}

/** Only what a browser opens as a page is a link: addresses come from others. */
export function OutwardLinks({ label, links }: { label: string; links: readonly OutwardLink[] }) {
  const pages = links.filter(({ url }) => /^https?:\/\//i.test(url));
  if (pages.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {pages.map(({ title, url, description }) => (
        <li key={`${title} ${url}`}>
          <a
            href={url}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex min-h-6 items-center gap-1.5 break-all text-accent underline"
          >
            <ExternalLink aria-hidden size={14} />
            {title}
            <span className="sr-only">(another page)</span>
          </a>
          {description && <span className="block text-soft">{description}</span>}
        </li>
      ))}
    </ul>
  );
}
