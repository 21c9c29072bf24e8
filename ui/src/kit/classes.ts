export type ClassName = string | false | null | undefined;

export const classes = (...names: ClassName[]): string => names.filter(Boolean).join(" ");
