import { useQuery } from "@tanstack/react-query";
import { CircleCheck, OctagonX } from "lucide-react";
import { type FormEvent, useState } from "react";
import { sessionQuery } from "@/api/session";
import { Button } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { Field } from "@/kit/field";
import { Failed, Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { mayQuery, projectsQuery } from "./api";
import { ACTIONS, type Answer, commandFor, type Question, RESOURCES, rolesOf, simulate } from "./model/simulate";
import { Select } from "./parts/select";
import { Title } from "./parts/title";
import { permissionsRoute } from "./routes";

const same = (names: readonly string[]) => names.map((name) => [name, name] as const);

/** "May X do Y on Z?", with the line that decides. */
export default function PermissionsPage() {
  const { who = "", resource = "applications", action = "get", object = "" } = permissionsRoute.useSearch();
  const question: Question = { who, resource, action, object };
  return (
    <>
      <Title title="Permissions" about="Ask who may do what, and see the line that decides.">
        <CopyMenu command={object ? commandFor(question) : undefined} />
      </Title>
      <QuestionForm key={JSON.stringify(question)} asked={question} />
      {object && (who ? <OfAnother question={question} /> : <Own question={question} />)}
    </>
  );
}

function QuestionForm({ asked }: { asked: Question }) {
  const navigate = permissionsRoute.useNavigate();
  const projects = useQuery(projectsQuery).data ?? [];
  const [question, setQuestion] = useState(asked);
  const known = projects.flatMap(({ metadata, spec }) =>
    (spec?.roles ?? []).flatMap((role) => [`proj:${metadata.name}:${role.name}`, ...(role.groups ?? [])]),
  );
  const people = [...new Set([...known, ...(asked.who ? [asked.who] : [])])].sort();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { who, ...others } = question;
    void navigate({ search: { ...others, ...(who ? { who } : {}) } });
  };
  return (
    <form onSubmit={submit} className="grid max-w-3xl items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <Select
        label="Who"
        value={question.who}
        options={[["", "You"], ...same(people)]}
        onChoose={(who) => setQuestion({ ...question, who })}
      />
      <Select
        label="May"
        value={question.action}
        options={same(ACTIONS)}
        onChoose={(action) => setQuestion({ ...question, action })}
      />
      <Select
        label="What"
        value={question.resource}
        options={same(RESOURCES)}
        onChoose={(resource) => setQuestion({ ...question, resource })}
      />
      <Field
        label="Which one"
        required
        placeholder="production/order-service"
        value={question.object}
        onChange={(event) => setQuestion({ ...question, object: event.currentTarget.value })}
      />
      <Button type="submit" look="primary" className="justify-self-start">
        Ask
      </Button>
    </form>
  );
}

function Own({ question }: { question: Question }) {
  const session = useQuery(sessionQuery);
  const { data, error, isPending, refetch } = useQuery(mayQuery(question.resource, question.action, question.object));
  if (isPending) return <Loading sentence="The policy is being asked." />;
  if (error) return <Failed error={error} what="The answer" onRetry={() => void refetch()} />;
  const answer: Answer = { allowed: data.value === "yes", line: data.line ?? "", why: data.why ?? "" };
  return <Verdict who={session.data?.username || "You"} question={question} answer={answer} />;
}

function OfAnother({ question }: { question: Question }) {
  const { data, error, isPending, refetch } = useQuery(projectsQuery);
  if (isPending) return <Loading sentence="The projects are on their way." />;
  if (error) return <Failed error={error} what="The projects" onRetry={() => void refetch()} />;
  const roles = rolesOf(question.who, data).map(({ project, role }) => `${project}/${role.name}`);
  return (
    <>
      <Verdict who={question.who} question={question} answer={simulate(question, data)} />
      <p className="mt-2 max-w-3xl text-sm text-soft">
        Decided by the roles of projects that you may see ({roles.join(", ") || "none"}), with stars as wildcards. Lines
        of argocd-rbac-cm may say more; whoever administers the cluster asks the whole policy with the command under
        Copy.
      </p>
    </>
  );
}

function Verdict({ who, question, answer }: { who: string; question: Question; answer: Answer }) {
  const { resource, action, object } = question;
  return (
    <section
      aria-label="Answer"
      aria-live="polite"
      className="mt-5 max-w-3xl rounded-md border border-line bg-surface p-4"
    >
      <p className="flex flex-wrap items-center gap-2">
        {answer.allowed ? (
          <StatusMark icon={CircleCheck} colour="text-healthy" word="Yes" className="font-semibold" />
        ) : (
          <StatusMark icon={OctagonX} colour="text-degraded" word="No" className="font-semibold" />
        )}
        <span>
          {who} {answer.allowed ? "may" : "may not"} {action} {resource} {object}.
        </span>
      </p>
      {answer.line && (
        <>
          <p className="mt-3 text-sm text-soft">The line that decides</p>
          <code className="block break-words font-mono text-sm">{answer.line}</code>
        </>
      )}
      {answer.why && <p className="mt-2 break-words text-sm">{answer.why}</p>}
    </section>
  );
}
