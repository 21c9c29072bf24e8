import { toast } from "sonner";

/** Copies, and says so; where the browser refuses, shows what was to be copied. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(`${what} copied`);
  } catch {
    toast.message(`${what} could not be copied; here it is`, { description: text, duration: 20_000 });
  }
}
