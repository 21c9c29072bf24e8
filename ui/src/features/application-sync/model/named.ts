export interface Named {
  namespace: string;
  name: string;
}

/** NAMESPACE/NAME, as drawers are addressed. */
export function namedBy(id: string): Named {
  const slash = id.indexOf("/");
  return { namespace: id.slice(0, Math.max(slash, 0)), name: id.slice(slash + 1) };
}

export const idOf = ({ namespace, name }: Named): string => `${namespace}/${name}`;
