// Terms: a reader can open the definition where a term is shown, and read all of them at the end of
// the page.

// The text as a button that opens the definition of a term; plain text if there is no glossary.
function term(key, text, label = "") {
  const definition = data.glossary?.find((entry) => entry.key === key);
  if (!definition) return text;
  const node = button(text, () => showDefinition(definition, node));
  node.className = "term";
  node.popoverTargetElement = byId("definition");
  node.popoverTargetAction = "show"; // a second term replaces the definition of the first one
  if (label) node.setAttribute("aria-label", label);
  return node;
}

// A question mark for headings that are already buttons.
const explain = (key, name) => (data.glossary ? term(key, "?", `What is “${name}”?`) : "");

function showDefinition({ name, text }, node) {
  const box = byId("definition");
  box.replaceChildren(element("b", { id: "definition-name" }, name), element("p", {}, text));
  if (!box.matches(":popover-open")) box.showPopover();
  const at = node.getBoundingClientRect();
  const left = Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8);
  const below = at.bottom + box.offsetHeight + 12 < innerHeight;
  const top = below ? at.bottom + 4 : at.top - box.offsetHeight - 4;
  box.style.left = `${scrollX + Math.max(8, left)}px`;
  box.style.top = `${scrollY + top}px`;
}

function showWords() {
  for (const node of document.querySelectorAll("[data-term]")) {
    node.replaceWith(term(node.dataset.term, node.textContent));
  }
  byId("words").hidden = byId("words-link").hidden = !data.glossary;
  for (const { name, text } of data.glossary || []) {
    byId("glossary").append(element("div", {}, element("dt", {}, name), element("dd", {}, text)));
  }
}
