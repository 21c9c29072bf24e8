import { Fragment } from "react";
import { plural } from "@/features/infra/model/listing";
import type { Field, OutputChange, PlannedChange } from "../model/wire";
import { actionWord, signOf, valueText } from "../model/words";

/** One resource, with every attribute that becomes another. */
export function ChangeItem({ change }: { change: PlannedChange }) {
  const fields = change.fields ?? [];
  return (
    <details className="border-t border-line first:border-t-0" open={(change.dangers?.length ?? 0) > 0}>
      <summary className="cursor-pointer px-3 py-1.5 text-sm hover:bg-hover">
        <code className="font-mono break-all">
          <span aria-hidden className="mr-2 inline-block w-3 text-center font-bold">
            {signOf(change.action)}
          </span>
          {change.address}
        </code>
        {change.dangers?.map((danger) => (
          <span key={danger.sentence} className="ml-5 block text-degraded">
            {danger.sentence}
          </span>
        ))}
        <Reasons change={change} />
      </summary>
      {fields.length > 0 && (
        <div className="overflow-x-auto px-3 pb-2">
          <Fields fields={fields} address={change.address} />
        </div>
      )}
      {fields.length === 0 && <p className="px-8 pb-2 text-sm text-soft">No attribute of it is shown.</p>}
      {(change.moreFields ?? 0) > 0 && (
        <p className="px-8 pb-2 text-sm text-soft">{plural(change.moreFields ?? 0, "more attribute")} left out.</p>
      )}
    </details>
  );
}

function Reasons({ change }: { change: PlannedChange }) {
  const said = [
    ...(change.replacedBecauseOf ?? []).map((path) => `${path} forces replacement`),
    ...(change.order === "create-first" ? ["the new one is made before the old one goes"] : []),
    ...(change.because && !change.replacedBecauseOf?.length ? [change.because] : []),
    ...(change.movedFrom ? [`moved from ${change.movedFrom}`] : []),
    ...(change.importedAs ? [`imported as ${change.importedAs}`] : []),
    ...(change.deposed ? ["left over from a replacement that failed"] : []),
  ];
  if (said.length === 0) return null;
  return <span className="ml-5 block text-xs text-soft">{said.join("; ")}</span>;
}

function Fields({ fields, address }: { fields: readonly Field[]; address: string }) {
  return (
    <table className="w-full border-collapse text-left font-mono text-xs">
      <caption className="sr-only">Attributes of {address}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Attribute</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.path} className="border-t border-line align-top">
            <th scope="row" className="py-1 pr-3 pl-5 font-normal">
              {field.path}
              {field.replaces && <span className="block font-sans text-degraded">forces replacement</span>}
            </th>
            <td className="bg-(--removed) px-2 py-1 break-all whitespace-pre-wrap">{valueText(field.before)}</td>
            <td className="bg-(--added) px-2 py-1 break-all whitespace-pre-wrap">{valueText(field.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function OutputChanges({ outputs }: { outputs: readonly OutputChange[] }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 font-mono text-xs">
      {outputs.map((output) => (
        <Fragment key={output.name}>
          <dt>
            {output.name} <span className="font-sans text-soft">{actionWord(output.action).toLowerCase()}</span>
          </dt>
          <dd className="break-all">
            {output.sensitive ? (
              <span className="font-sans text-soft">sensitive: its value is not shown</span>
            ) : (
              `${valueText(output.before)} → ${valueText(output.after)}`
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
