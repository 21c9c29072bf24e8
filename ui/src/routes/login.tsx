import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/errors";
import { logIn, sessionQuery } from "@/api/session";
import { settingsQuery, singleSignOnName } from "@/api/settings";
import { Button } from "@/kit/button";
import { Command } from "@/kit/command-line";
import { Field } from "@/kit/field";
import { loginRoute } from "./login-route";
import { safeBack } from "./safe-back";

export default function Login() {
  const { back } = loginRoute.useSearch();
  const settings = useQuery(settingsQuery);
  const single = singleSignOnName(settings.data);
  return (
    <main className="flex h-full items-center justify-center overflow-auto p-6">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-xl border border-line bg-surface p-7 shadow-sm">
        <h1 className="text-xl font-semibold">Log in to Plumbline</h1>
        {single && (
          <a
            href={signOnAddress(back)}
            className="flex h-9 items-center justify-center rounded-md bg-accent font-medium text-on-accent hover:opacity-90"
          >
            Log in with {single}
          </a>
        )}
        {!settings.data?.userLoginsDisabled && <PasswordForm back={back} />}
        <p className="text-sm text-soft">On the machine that runs it, this opens a page that is logged in:</p>
        <Command line="plumb open" />
      </div>
    </main>
  );
}

function PasswordForm({ back }: { back: string | undefined }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    setPending(true);
    setFailure("");
    try {
      await logIn(String(typed.get("username")), String(typed.get("password")));
      queryClient.clear();
      await queryClient.fetchQuery(sessionQuery);
      router.history.push(safeBack(back));
    } catch (refused) {
      setFailure(refused instanceof ApiError ? sentenceFor(refused) : String(refused));
      setPending(false);
    }
  };

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="User name" name="username" autoComplete="username" required autoFocus />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        error={failure || undefined}
      />
      <Button type="submit" look="primary" disabled={pending} className="mt-1 h-9">
        {pending ? "Logging in" : "Log in"}
      </Button>
    </form>
  );
}

function sentenceFor(refused: ApiError): string {
  if (refused.status === 401) return "User name and password do not go together.";
  if (refused.status === 429) return `Too many attempts. ${refused.message}`;
  return refused.message;
}

function signOnAddress(back: string | undefined): string {
  const address = new URL("auth/login", document.baseURI);
  const target = safeBack(back).replace(/^\//, "");
  address.searchParams.set("return_url", new URL(target, document.baseURI).href);
  return address.href;
}
