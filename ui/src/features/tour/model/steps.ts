/** What the tour needs to know of an application to be sure that it is the sample's. */
interface Platform {
  metadata: { name: string };
  spec?: { source?: { repoURL?: string } };
}

export interface Step {
  id: "edit" | "drift" | "conflict" | "approve";
  title: string;
  sentence: string;
  /** Where to watch it. */
  to: string;
  search?: Record<string, string>;
  watch: string;
  commands: readonly string[];
}

const REPOSITORY = /\/git\/platform\.git$/;

/** The address of the sample's repository; empty where there is no sample. */
export const repositoryOf = (app: Platform | undefined): string => {
  const url = app?.spec?.source?.repoURL ?? "";
  return app?.metadata.name === "platform" && REPOSITORY.test(url) ? url : "";
};

/** The same four steps, with the same commands, as docs/tour.md has. */
export const stepsFor = (repository: string): readonly Step[] => [
  {
    id: "edit",
    title: "Edit",
    sentence: "A change is a commit. Nobody polls: the push itself starts the sync.",
    to: "/applications/argocd/order-service",
    watch: "Watch the order service",
    commands: [
      `git clone ${repository} ~/platform`,
      "cd ~/platform",
      "sed -i 's/newTag: 1.4.0/newTag: 1.5.0/' services/order-service/overlays/production/kustomization.yaml",
      'git commit -am "Order service 1.5.0"',
      "git push origin main",
    ],
  },
  {
    id: "drift",
    title: "Drift",
    sentence: "Somebody changes the Deployment by hand. It is put right, since Git says otherwise.",
    to: "/insights",
    watch: "See who made it drift",
    commands: ["kubectl -n commerce set image deployment/order-service api=ghcr.io/company/order-service:by-hand"],
  },
  {
    id: "conflict",
    title: "Conflict",
    sentence: "A second application claims the same database, and is refused before anything is written.",
    to: "/ownership",
    search: { object: "database.company.io/PostgreSQLInstance/commerce/order-service-db" },
    watch: "See whose the database is",
    commands: [
      `plumb app create second --project production --repo ${repository} --revision main --path infrastructure/claims --dest-server https://kubernetes.default.svc --dest-namespace commerce`,
      "plumb app sync second",
      "plumb own explain postgresqlinstance/order-service-db -n commerce",
      "plumb app delete second --yes --wait",
    ],
  },
  {
    id: "approve",
    title: "Approve",
    sentence: "A plan is an object. What you approve, by its digest, is what is applied.",
    to: "/terraform",
    watch: "See the plan that waits",
    commands: ["plumb tf show foundation -n terraform-system", "plumb tf approve foundation -n terraform-system --yes"],
  },
];
