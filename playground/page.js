// The page: two views whose state is in the address, as #permutation?p=2,1 or #sentences?h=…&r=….
// Text is only inserted as text nodes.

const DIGITS = 4; // as the package prints them
const PERMUTATIONS = {
  "2 4 5 6 1 3": "2 4 5 6 1 3",
  "in order": "1 2 3 4 5 6",
  "reversed": "6 5 4 3 2 1",
  "no parts": "2 4 6 1 3 5",
  "two blocks swapped": "4 5 6 7 1 2 3",
  "5 7 4 6 3 1 2": "5 7 4 6 3 1 2",
};
const SENTENCES = {
  "German order": [
    "I have yesterday in the library an old book about birds found.",
    "Yesterday I found an old book about birds in the library.",
  ],
  "Interleaved parts": ["We in the lobby at noon meet.", "At noon we meet in the lobby."],
  "French": [
    "La noire vieille voiture de mon voisin est dans la rue garée.",
    "La vieille voiture noire de mon voisin est garée dans la rue.",
  ],
  "Arabic": ["الولد كتب رسالة طويلة إلى صديقه أمس", "أمس كتب الولد إلى صديقه رسالة طويلة"],
};
const ERROR_RATES = {
  wer: "insertions, deletions, substitutions",
  per: "the same, in any order of words",
  cder: "the same, and jumps within the translation",
  invwer: "the same, and swaps of neighbouring blocks",
};

const byId = (id) => document.getElementById(id);
const plural = (count, noun) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function button(name, act) {
  const node = element("button", { type: "button" }, name);
  node.addEventListener("click", act);
  return node;
}

let core; // once it is loaded
let draw = () => {}; // draws the result, again for a window of another width
let view = "permutation"; // the one that is shown

const VIEWS = {
  permutation: {
    fields: { p: byId("values") },
    first: { p: PERMUTATIONS["2 4 5 6 1 3"] },
    show() {
      const result = analyseValues(core, parseValues(byId("values").value));
      showOrder(result);
      draw = () => drawTreeOf(result, result.values.map(String), true);
    },
  },
  sentences: {
    fields: { h: byId("hypothesis"), r: byId("reference") },
    first: { h: SENTENCES["German order"][0], r: SENTENCES["German order"][1] },
    show() {
      const result = analyseSentences(core, byId("hypothesis").value, byId("reference").value);
      const { words, links, order, placedWords } = result;
      const linked = `${plural(links.length, "link")} in ${plural(result.chunks, "chunk")}`;
      const covered = `${links.length} of ${plural(words[1].length, "word")} of the reference`;
      const proven = result.exact ? "" : " There may be a better selection of links.";
      byId("links-summary").textContent = `${linked}, for ${covered}.${proven}`;
      byId("errors").replaceChildren(...result.rates.map(errorRow));
      showOrder(order);
      const marks = [[], []]; // the package also marks breaks between neighbours
      draw = () => {
        const segment = { words, links, marks, places: links, moves: order.moves };
        fillFigure(byId("links"), drawAlignment(segment));
        drawTreeOf(order, placedWords, false);
      };
    },
  },
};

// The nodes and leaves of a tree, as drawings.js takes them.
const shapesOf = (brackets, words) =>
  decodeTree(
    brackets.replaceAll("⟨1,2⟩", "+").replaceAll("⟨2,1⟩", "-").replaceAll(", ", ";"),
    words,
  );

// Draws the tree that is chosen. Words that are the values themselves have no numbers below them.
function drawTreeOf({ tree, flat, moves }, words, areValues) {
  byId("tree").hidden = !words.length;
  if (!words.length) return;
  const shapes = shapesOf(byId("draw-flat").checked ? flat : tree, words);
  if (areValues) for (const shape of shapes) if (!shape.children.length) shape.label = "";
  fillFigure(byId("tree"), drawTree(shapes, words, moves));
}

// Drawings of right-to-left text start at the right.
function fillFigure(figure, drawing) {
  figure.replaceChildren(drawing);
  if (drawing.dataset.mirrored) figure.dir = "rtl";
  else figure.removeAttribute("dir");
}

function showOrder({ values, tree, flat, trees, moves, measures }) {
  const count = trees.toLocaleString("en-US");
  const moved = moves.length ? `; ${plural(moves.length, "block")} must move` : "";
  byId("tree-summary").textContent = values.length
    ? `⟨${values.join(", ")}⟩ has ${count} permutation tree${trees === 1n ? "" : "s"}${moved}.`
    : "No word is linked, so there is no permutation.";
  byId("canonical").textContent = tree || "–";
  byId("flat").textContent = flat || "–";
  const rows = (kind) =>
    MEASURES.filter(({ measures_order: order }) => order === kind).map(({ name, description }) =>
      measureRow(name, measures[name], description),
    );
  byId("order-measures").replaceChildren(...rows(true));
  const other = byId("other-measures");
  other.replaceChildren(other.firstChild, ...rows(false));
}

const nameCell = (name) => element("th", { scope: "row" }, name);
const valueCell = (value) => element("td", { title: String(value) }, value.toFixed(DIGITS));

function measureRow(name, value, description) {
  const about = element("td", { class: "about" }, description);
  return element("tr", {}, nameCell(name), valueCell(value), about);
}

function errorRow({ name, rate, errors, lower }) {
  const edits = lower < errors ? `${lower} to ${errors}` : `${errors}`;
  const about = element("td", { class: "about" }, ERROR_RATES[name]);
  return element("tr", {}, nameCell(name), valueCell(rate), element("td", {}, edits), about);
}

// Values stay readable in the address.
const encode = (text) =>
  encodeURIComponent(wellFormed(text)).replaceAll("%20", "+").replaceAll("%2C", ",");

function writeAddress() {
  const { fields } = VIEWS[view];
  const query = Object.entries(fields).map(([key, { value }]) => `${key}=${encode(value)}`);
  history.replaceState(null, "", `#${view}?${query.join("&")}`);
}

// Opens the view of the address with the state of the address. Without a state, the view is as it was,
// and with a first example if it was empty.
function readAddress() {
  const [name, ...query] = location.hash.slice(1).split("?");
  const isView = Object.hasOwn(VIEWS, name);
  if (isView) view = name;
  const state = isView && query.length && Object.fromEntries(new URLSearchParams(query.join("?")));
  for (const [key, field] of Object.entries(VIEWS[view].fields)) {
    if (state) field.value = state[key] ?? "";
    else field.value ||= VIEWS[view].first[key];
  }
  for (const other of Object.keys(VIEWS)) {
    byId(other).hidden = other !== view;
    const link = document.querySelector(`nav a[href="#${other}"]`);
    if (other === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const part of ["links-part", "errors-part"]) byId(part).hidden = view !== "sentences";
  showResult();
}

function showResult() {
  writeAddress();
  const problem = byId(`${view}-error`);
  try {
    VIEWS[view].show();
    byId("result").hidden = false;
    draw();
    problem.textContent = "";
  } catch (error) {
    byId("result").hidden = true;
    draw = () => {};
    const text = `${error.message}.`;
    problem.textContent = text[0].toUpperCase() + text.slice(1);
  }
}

function addExamples(name, examples) {
  const buttons = Object.entries(examples).map(([title, texts]) =>
    button(title, () => {
      Object.values(VIEWS[name].fields).forEach((field, k) => {
        field.value = [texts].flat()[k];
      });
      showResult();
    }),
  );
  byId(`${name}-examples`).append(element("span", { class: "quiet" }, "Examples:"), ...buttons);
}

async function start() {
  try {
    core = await loadCore();
  } catch (error) {
    byId("loading").textContent = `This browser cannot run the page: ${error.message}`;
    return;
  }
  byId("loading").hidden = true;
  addExamples("permutation", PERMUTATIONS);
  addExamples("sentences", SENTENCES);
  for (const { fields } of Object.values(VIEWS)) {
    for (const field of Object.values(fields)) field.addEventListener("input", showResult);
  }
  byId("draw-flat").addEventListener("change", () => draw());
  addEventListener("resize", () => draw());
  addEventListener("hashchange", readAddress);
  readAddress();
}

start();
