// The parts of an explanation. Their HTML comes from hyperbaton.report.page, which escapes all texts.

// Fills the parts; those that an explanation lacks are hidden. Parts that are folded stay as they
// are, open or closed.
export function showParts(result, parts) {
  const shown = new Map(parts.map((part) => [part.name, part]));
  for (const node of result.querySelectorAll("[data-part]")) {
    const part = shown.get(node.dataset.part);
    node.hidden = !part;
    if (part) fillPart(node, part);
  }
}

export function showPart(result, part) {
  fillPart(result.querySelector(`[data-part="${part.name}"]`), part);
}

function fillPart(node, { title, note, html }) {
  const content = node.querySelector(".part");
  // Drawings can be wider than the page: what was in sight stays in sight.
  const scrolled = content.querySelector("figure")?.scrollLeft;
  content.innerHTML = html;
  if (scrolled) content.querySelector("figure").scrollLeft = scrolled;
  for (const [name, text] of [["title", title], ["note", note]]) {
    const place = node.querySelector(`.part-${name}`);
    if (place) place.textContent = text;
  }
}
