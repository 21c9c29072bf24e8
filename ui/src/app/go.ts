import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Go } from "./feature";

/** Navigation for commands and keys, which stand outside of any route. */
export function useGo(): Go {
  const navigate = useNavigate();
  return useMemo(
    () => ({
      to: (path, search = {}) => void navigate({ to: path, search }),
      drawer: (kind, id) =>
        void navigate({ to: ".", search: (before: object) => ({ ...before, drawer: `${kind}:${id}` }) }),
    }),
    [navigate],
  );
}
