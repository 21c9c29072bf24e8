import type { Virtualizer } from "@tanstack/react-virtual";
import type { Layout } from "../model/layout";
import type { Row } from "../model/row";
import type { Listing } from "./use-listing";

/** What rows and tiles have in common. */
export interface ListBody {
  layout: Layout;
  virtualizer: Virtualizer<HTMLElement, Element>;
  listing: Listing;
  /** Place of the row that keys are about. */
  current: number;
  selected: ReadonlyMap<string, Row>;
  pinned: ReadonlySet<string>;
  onSelect: (row: Row, selected: boolean) => void;
  onPoint: (place: number) => void;
  onFold: (group: string) => void;
  clusterName: (address: string) => string;
}
