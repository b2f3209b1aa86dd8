// The parts of an explanation. Their HTML comes from hyperbaton.views.page, which escapes all texts.

const shownHtml = new WeakMap(); // by element, so that parts that have not changed are left alone

// Fills the parts; those that an explanation lacks are hidden. Parts that are folded stay as they
// are, open or closed.
export function showParts(result, parts) {
  const byName = new Map(parts.map((part) => [part.name, part]));
  const nodes = [...result.querySelectorAll("[data-part]")];
  // All is read before anything is written: the browser then lays out the page once.
  const scrolled = nodes.map((node) => node.querySelector("figure")?.scrollLeft);
  nodes.forEach((node, k) => {
    const part = byName.get(node.dataset.part);
    node.hidden = !part;
    if (part) fillPart(node, part, scrolled[k]);
  });
}

export function showPart(result, part) {
  fillPart(result.querySelector(`[data-part="${part.name}"]`), part);
}

// Drawings can be wider than the page: what was in sight stays in sight.
function fillPart(node, { title, note, html }, scrolled = 0) {
  const content = node.querySelector(".part");
  if (shownHtml.get(content) !== html) {
    const isOpen = content.querySelector("details")?.open;
    content.innerHTML = html;
    if (isOpen) content.querySelector("details").open = true;
    shownHtml.set(content, html);
    if (scrolled) content.querySelector("figure").scrollLeft = scrolled;
  }
  for (const [name, text] of [["title", title], ["note", note]]) {
    const place = node.querySelector(`.part-${name}`);
    if (place) place.textContent = text;
  }
}
