export interface Place {
  to: string;
  title: string;
  words: string;
}

/** The parts of the settings, in their order. */
export const PLACES: readonly Place[] = [
  { to: "/settings/repositories", title: "Repositories", words: "git helm oci credentials connect" },
  { to: "/settings/clusters", title: "Clusters", words: "destinations" },
  { to: "/settings/projects", title: "Projects", words: "roles tokens windows" },
  { to: "/settings/permissions", title: "Permissions", words: "rbac policy may can" },
  { to: "/settings/accounts", title: "Accounts", words: "password token user" },
  { to: "/settings/appearance", title: "Appearance", words: "theme dark light contrast density keys" },
  { to: "/settings/about", title: "About", words: "version simulated" },
];

/** The address of the cluster at hand, which is always there. */
export const IN_CLUSTER = "https://kubernetes.default.svc";
