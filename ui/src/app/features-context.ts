import { createContext, useContext } from "react";
import type { Feature } from "./feature";

const FeaturesContext = createContext<readonly Feature[]>([]);
export const FeaturesProvider = FeaturesContext.Provider;

export const useFeatures = (): readonly Feature[] => useContext(FeaturesContext);
