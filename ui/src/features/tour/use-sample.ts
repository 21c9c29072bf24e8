import { useQuery } from "@tanstack/react-query";
import { applicationQuery } from "@/features/application/api";
import { repositoryOf } from "./model/steps";

/** The address of the sample platform's repository, once it is known that there is one. */
export function useSample() {
  const { data, isPending } = useQuery({ ...applicationQuery("argocd", "platform"), retry: false });
  return { repository: repositoryOf(data), isPending };
}
