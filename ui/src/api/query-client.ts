import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

const ATTEMPTS = 2;

/** Live events keep what is shown true, so nothing is asked again for having grown old while the stream is open. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < ATTEMPTS && error instanceof ApiError && error.unreachable,
      },
      mutations: { retry: false },
    },
  });
}
