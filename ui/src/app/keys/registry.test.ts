import { expect, test, vi } from "vitest";
import { allowed, bindings, type KeyBinding, keymap, register, spellings, whereabouts } from "./registry";

const binding = (id: string, keys: string, more: Partial<KeyBinding> = {}): KeyBinding => ({
  id,
  keys,
  title: id,
  group: "Test",
  run: vi.fn(),
  ...more,
});

test("the innermost screen's key wins, and gives the key back when it leaves", () => {
  const [outer, inner] = [binding("outer", "x"), binding("inner", "x")];
  const leaveOuter = register([outer]);
  const leaveInner = register([inner]);
  expect(keymap(bindings.get(), {}).get("x")).toBe(inner);
  leaveInner();
  expect(keymap(bindings.get(), {}).get("x")).toBe(outer);
  leaveOuter();
});

test("people's own keys stand in place of ours", () => {
  const map = keymap([binding("filter", "f")], { filter: "Control+f" });
  expect([...map.keys()]).toEqual(["Control+f"]);
});

test("signs are heard with and without Shift, letters only as they are", () => {
  expect([spellings("?"), spellings("j"), spellings("g a"), spellings("Escape")]).toEqual([
    ["?", "Shift+?"],
    ["j"],
    ["g a"],
    ["Escape"],
  ]);
});

const FREE = { typing: false, dialog: false, mac: false };

test.each([
  ["j", FREE, true, true, "nothing is in the way"],
  ["j", { ...FREE, typing: true }, true, false, "somebody types"],
  ["j", FREE, false, false, "single keys are off"],
  ["$mod+k", FREE, false, true, "a key with a modifier is not a single key"],
  ["$mod+k", { ...FREE, typing: true }, true, false, "on Linux it cuts a line"],
  ["$mod+k", { ...FREE, typing: true, mac: true }, true, true, "on a Mac it does nothing else"],
  ["j", { ...FREE, dialog: true }, true, false, "a dialog is open"],
])("%s in %j with single keys %s is allowed: %s, for %s", (keys, at, singleKeys, expected) => {
  expect(allowed(keys, binding("a", keys), at, singleKeys)).toBe(expected);
});

test("typing is known from where the focus is", () => {
  document.body.innerHTML = "<input id=a><input id=b type=checkbox><div role=menu><span id=c></span></div><p id=d></p>";
  const typing = ["a", "b", "c", "d"].map((id) => whereabouts(document.getElementById(id), "Linux").typing);
  expect(typing).toEqual([true, false, true, false]);
  document.body.innerHTML = "";
});
