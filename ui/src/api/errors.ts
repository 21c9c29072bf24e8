/** An answer that is not the one asked for. `status` is 0 where there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, message: string, { code = "", hint = "" } = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }

  get unreachable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

interface Refusal {
  message?: unknown;
  error?: unknown;
  title?: unknown;
  detail?: unknown;
  why?: unknown;
  hint?: unknown;
  code?: unknown;
}

/** Reads both bodies that the server refuses with: Argo CD's `{error, code, message}` and our own `{code, why, hint}`. */
export function refusalOf(status: number, body: unknown): ApiError {
  const said: Refusal = typeof body === "object" && body !== null ? body : {};
  const message = firstText(said.message, said.error, said.detail, said.title) || `The server answered ${status}`;
  const why = firstText(said.why);
  return new ApiError(status, why && !message.includes(why) ? `${message}: ${why}` : message, {
    code: firstText(said.code),
    hint: firstText(said.hint),
  });
}

function firstText(...values: unknown[]): string {
  for (const value of values) if (typeof value === "string" && value) return value;
  return "";
}
