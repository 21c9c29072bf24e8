import type { WireCondition } from "./wire";

/** A condition in words: what it means, and what to do. */
export interface Told {
  type: string;
  title: string;
  message: string;
  advice: string;
  command: string;
  bad: boolean;
  since: string;
}

type Advice = readonly [title: string, advice: string, command: (app: string) => string];

const ADVICE: Record<string, Advice> = {
  ComparisonError: [
    "Git and the cluster could not be compared",
    "Nothing is synced until they can be. Render it where you are to see the same error.",
    (app) => `plumb app manifests ${app}`,
  ],
  InvalidSpecError: [
    "What the application asks for is not permitted, or not understood",
    "Put right its source, destination or project, in Git if it comes from there.",
    (app) => `plumb app get ${app}`,
  ],
  SyncError: [
    "Auto-sync has given up on this revision",
    "It does not try the same commit again: push another one, or sync by hand to see why it fails.",
    (app) => `plumb app sync ${app} --dry-run`,
  ],
  DeletionError: [
    "The application could not be deleted",
    "Something of it does not go away; it is tried again by itself.",
    (app) => `plumb app resources ${app}`,
  ],
  UnknownError: [
    "Something unforeseen went wrong",
    "It is tried again by itself.",
    (app) => `plumb why application/${app}`,
  ],
  SharedResourceWarning: [
    "Another application has some of the same objects",
    "Both write them, and the one that syncs last wins. Leave them to one of the two.",
    (app) => `plumb own explain application/${app}`,
  ],
  ShortenedStatusWarning: [
    "It has more objects than a record can hold",
    "What went well is left out, and not shown here. Split the application to see it all.",
    (app) => `plumb app get ${app}`,
  ],
  RepeatedResourceWarning: [
    "Git has the same object more than once",
    "Only one of them counts. Take the others out of the source.",
    (app) => `plumb app manifests ${app}`,
  ],
  ExcludedResourceWarning: [
    "Some objects of kinds that are excluded by the settings are left alone",
    "Take them out of the source, or the kind out of resource.exclusions.",
    (app) => `plumb app get ${app}`,
  ],
  OrphanedResourceWarning: [
    "There are objects in its namespace that belong to nobody",
    "Put them into Git, delete them, or have the project ignore them.",
    (app) => `plumb app resources ${app} --orphaned`,
  ],
  RollbackPinWarning: [
    "It is held at an earlier revision",
    "Newer commits wait until the pin ends or is taken away.",
    (app) => `plumb app history ${app}`,
  ],
  PlainSecretWarning: [
    "Git has a Secret that everybody can read",
    "Seal it, and treat what it held as known to everybody.",
    () => "plumb seal --help",
  ],
  RepositoryWarning: [
    "The repository could not be reached lately",
    "What was read before is used until it can be.",
    () => "plumb repo list",
  ],
  RenderWarning: [
    "Rendering had something to say",
    "It was rendered all the same.",
    (app) => `plumb app manifests ${app}`,
  ],
  ValuesFromWarning: [
    "Some values could not be read",
    "What they are taken from is not there, or may not be read.",
    (app) => `plumb app get ${app}`,
  ],
};

/** Errors first. A type that nobody has described here is told in its own words. */
export function told(conditions: readonly WireCondition[], app: string): Told[] {
  return conditions
    .map(({ type = "", message = "", lastTransitionTime = "" }) => {
      const [title, advice, command] = ADVICE[type] ?? [spaced(type), "", () => `plumb why application/${app}`];
      return {
        type,
        title,
        message,
        advice,
        command: command(app),
        bad: !type.endsWith("Warning"),
        since: lastTransitionTime,
      };
    })
    .sort((one, other) => Number(other.bad) - Number(one.bad));
}

/** `SomeOtherWarning` as people would write it. */
const spaced = (type: string): string =>
  type
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replace(/^./, (letter) => letter.toUpperCase()) || "Something is wrong";
