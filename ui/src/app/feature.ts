import type { AnyRoute } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { ComponentType, LazyExoticComponent } from "react";

/** Where commands may go and what they may open. */
export interface Go {
  to: (path: string, search?: Record<string, unknown>) => void;
  drawer: (kind: string, id: string) => void;
}

/** Something that the palette offers. */
export interface Command {
  id: string;
  title: string;
  group: string;
  /** Other words that people look for it with. */
  words?: string;
  icon?: LucideIcon;
  /** Keys that do the same; shown in the palette and in the sheet, and bound by the shell. */
  keys?: string;
  run: (go: Go) => void;
}

/** Something found on the server for what was typed into the palette. */
export interface Hit {
  id: string;
  title: string;
  detail: string;
  icon?: LucideIcon;
  run: (go: Go) => void;
}

export interface Finder {
  group: string;
  find: (text: string, signal: AbortSignal) => Promise<Hit[]>;
}

/** What a drawer shows for an id, which is the part of the URL behind `?drawer=KIND:`. */
export interface DrawerKind {
  title: (id: string) => string;
  body: LazyExoticComponent<ComponentType<{ id: string }>>;
}

export interface RailEntry {
  title: string;
  icon: LucideIcon;
  to: string;
  order: number;
  /** Second key after `g`. */
  key?: string;
}

/** What a tab of an application's page gets. */
export interface ApplicationTabProps {
  namespace: string;
  name: string;
}

/** A tab of an application's page. */
export interface ApplicationTab {
  id: string;
  title: string;
  order: number;
  icon?: LucideIcon;
  /** Opens the tab from the application's page. */
  key?: string;
  body: LazyExoticComponent<ComponentType<ApplicationTabProps>>;
}

/** All that a room adds to the interface. `app/features.ts` finds it in `features/ROOM/feature.ts(x)`. */
export interface Feature {
  id: string;
  rail?: RailEntry;
  routes?: readonly AnyRoute[];
  commands?: readonly Command[];
  finders?: readonly Finder[];
  drawers?: Readonly<Record<string, DrawerKind>>;
  applicationTabs?: readonly ApplicationTab[];
  /** What can be done with an application, in the head of its page. */
  applicationActions?: ComponentType<ApplicationTabProps>;
  /** Shown above the page wherever somebody is; each decides by itself whether it has something to say. */
  notices?: readonly LazyExoticComponent<ComponentType>[];
}

export const feature = (described: Feature): Feature => described;
