// Runs before the first paint, so that a chosen theme never flashes. A file of its own: the page has no inline script.
try {
  const chosen = JSON.parse(localStorage.getItem("plumbline.preferences") || "{}");
  const root = document.documentElement;
  if (["light", "dark"].includes(chosen.theme)) root.dataset.theme = chosen.theme;
  if (chosen.contrast === true) root.dataset.contrast = "more";
  if (chosen.density === "compact") root.dataset.density = "compact";
} catch {
  // What is stored is not ours, or storage is closed: the system's theme will do.
}
