import type { ObjectName } from "./wire";

/** GROUP/KIND/NAMESPACE/NAME, with nothing where there is none. */
export const objectKey = ({ group = "", kind, namespace = "", name }: ObjectName): string =>
  [group, kind, namespace, name].join("/");

/** `Deployment shop/web`, as people say it. */
export const objectTitle = ({ kind, namespace, name }: ObjectName): string =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
