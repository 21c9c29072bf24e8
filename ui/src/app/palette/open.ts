import { createStore } from "@/kit/model/store";

/** Which of the shell's own sheets is open. */
export const openSheet = createStore<"" | "palette" | "keys">("");
