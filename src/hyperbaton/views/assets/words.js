// Terms: a reader can open the definition where a term is shown, and read those of all terms shown
// so far at the end of the page.

const shownTerms = new Set();
// Terms that descriptions of metrics use.
const METRIC_TERMS = [
  "brevity-penalty",
  "chunk",
  "error-rate",
  "operator",
  "permutation-tree",
  "precedence",
  "unlinked",
];

// The text as a button that opens the definition of a term; plain text if there is no glossary.
function term(key, text, label = "") {
  const definition = data.glossary?.find((entry) => entry.key === key);
  if (!definition) return text;
  shownTerms.add(key);
  const node = button(text, () => showDefinition(definition, node));
  node.className = "term";
  node.popoverTargetElement = byId("definition");
  node.popoverTargetAction = "show"; // a second term replaces the definition of the first one
  if (label) node.setAttribute("aria-label", label);
  return node;
}

// A question mark for headings that are already buttons.
const explain = (key, name) => (data.glossary ? term(key, "?", `What is “${name}”?`) : "");

// Shows a definition below its term. It is placed before it opens, since opening moves the focus to
// it, and the browser scrolls there.
function showDefinition({ name, text }, node) {
  const box = byId("definition");
  box.replaceChildren(element("b", { id: "definition-name" }, name), element("p", {}, text));
  const at = node.getBoundingClientRect();
  box.style.left = "0";
  box.style.top = `${scrollY + at.bottom + 4}px`;
  if (!box.matches(":popover-open")) box.showPopover();
  const rightmost = document.documentElement.clientWidth - box.offsetWidth - 8;
  box.style.left = `${scrollX + Math.max(8, Math.min(at.left, rightmost))}px`;
}

// The text with its terms, such as "operators" and "permutation trees".
function withTerms(text, keys) {
  const terms = (data.glossary || []).filter(({ key }) => keys.includes(key));
  if (!terms.length) return [text];
  const names = terms.map(({ name }) => name).join("|");
  return text.split(new RegExp(`\\b((?:${names})s?)\\b`, "i")).map((part, k) => {
    const found = k % 2 && terms.find(({ name }) => part.toLowerCase().startsWith(name));
    return found ? term(found.key, part) : part;
  });
}

function markTerms() {
  byId("definition").autofocus = true; // in the markup, it would be for the page
  for (const node of document.querySelectorAll("[data-term]")) {
    node.replaceWith(term(node.dataset.term, node.textContent));
  }
}

function showGlossary() {
  byId("words").hidden = byId("words-link").hidden = !data.glossary;
  const terms = (data.glossary || []).filter(({ key }) => shownTerms.has(key));
  byId("glossary").replaceChildren(
    ...terms.map(({ name, text }) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, text)),
    ),
  );
}
