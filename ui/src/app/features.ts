import type { Feature } from "./feature";

const found = import.meta.glob<{ default: Feature }>("../features/*/feature.{ts,tsx}", { eager: true });

/** Every room that has a feature file, in the order of the rail. A room is added by adding its folder. */
export const features: readonly Feature[] = Object.values(found)
  .map((module) => module.default)
  .sort((one, other) => (one.rail?.order ?? Infinity) - (other.rail?.order ?? Infinity));
