// Permutation: an order of words, its trees, and every measure.

import { request } from "./api.js";
import { button, debounce, plural } from "./dom.js";
import { latestOnly } from "./latest_request.js";
import { measureRow, operatorEntries } from "./permutation_tables.js";
import { readQuery, startCopyButton, writeAddress } from "./shared_address.js";
import { startTreeBrowser } from "./tree_browser.js";
import { startChips } from "./word_chips.js";
import { ORDERS, resize } from "./word_orders.js";

const PAUSE = 30; // milliseconds without a key before a request
// The permutation of figure 1 of Stanojević & Sima'an 2014, with words.
const FIRST = { p: "2,4,5,6,1,3", w: "today we meet in the lobby" };

let view; // the section, its fields, the words and the trees
let tree = "0"; // the number of the tree that is shown
let values = []; // the last valid permutation
let answer = null;
let written = null; // the query that this view has written into the address
let mostValues = 60;
let shownPermutation = "";

export function start(section, info) {
  const find = (name) => section.querySelector(`#permutation-${name}`);
  view = { section, find, field: find("values"), sentence: find("sentence"), result: find("result") };
  mostValues = info.limits.permutation_values;
  view.chips = startChips(find("chips"), useOrder, announce);
  view.trees = startTreeBrowser(section, selectTree);
  const orders = Object.entries(ORDERS).map(([name, order]) =>
    button(name, () => useOrder(order(values.length))),
  );
  find("orders").append(...orders);
  view.field.addEventListener("input", () => {
    tree = "0";
    submitSoon();
  });
  view.sentence.addEventListener("input", fitToSentence);
  startCopyButton(find("copy"), find("copied"));
}

export function show(query) {
  if (query && query !== written) restore(readQuery(query));
  else if (answer) writeState();
  else restore(FIRST);
}

const sentenceWords = () => view.sentence.value.split(/\s+/u).filter(Boolean);

const currentRequest = () => ({ permutation: view.field.value, words: sentenceWords(), tree });

// The address: p is the permutation, w the sentence in the right order, t the number of the tree.
function restore({ p = "", w = "", t = "0" }) {
  view.field.value = p.replaceAll(",", " ");
  view.sentence.value = w;
  tree = t;
  submit(currentRequest());
}

function writeState() {
  if (view.section.hidden) return; // the address belongs to another view
  const p = view.field.value.trim().split(/[\s,]+/u).join(",");
  written = writeAddress("permutation", { p, w: view.sentence.value || null, t: tree });
}

function useOrder(order) {
  view.field.value = order.join(" ");
  values = order;
  tree = "0";
  submit(currentRequest());
}

// The sentence has one word for each value, unless there is none.
function fitToSentence() {
  const { length } = sentenceWords();
  if (length && length <= mostValues && length !== values.length) {
    values = resize(values, length);
    view.field.value = values.join(" ");
    tree = "0";
  }
  submitSoon();
}

function selectTree(number) {
  tree = number;
  submit(currentRequest());
}

const submitSoon = debounce(() => submit(currentRequest()), PAUSE);

const submit = latestOnly(async (asked, isLatest) => {
  writeState();
  try {
    if (asked.words.length > mostValues) {
      const words = plural(asked.words.length, "word");
      throw new Error(`The sentence has ${words}; the limit is ${mostValues}.`);
    }
    answer = await request("POST", "/api/permutation", { ...asked, display: true });
  } catch (error) {
    if (isLatest()) showError(error.message);
    return;
  }
  showAnswer(asked);
});

function showError(message) {
  view.find("error").textContent = message;
  markOld(Boolean(answer));
}

function markOld(old) {
  view.find("old").hidden = !old;
  view.result.classList.toggle("old", old);
}

function showAnswer(asked) {
  const { find } = view;
  const isNew = shownPermutation !== String(answer.permutation);
  shownPermutation = String(answer.permutation);
  const { display, permutation, size, max_arity: longest } = answer;
  find("error").textContent = "";
  markOld(false);
  view.result.hidden = false;
  // While words are dragged, answers are about an earlier order.
  if (asked.permutation === view.field.value) {
    values = permutation;
    view.chips.show(values, (value) => asked.words[value - 1]);
  }
  const operators = size ? `, ${plural(size, "operator")}, the longest of ${longest} parts` : "";
  find("summary").textContent =
    `⟨${permutation.join(", ")}⟩: ${plural(permutation.length, "value")}${operators}.`;
  const unused = asked.words.length - permutation.length;
  find("unused").hidden = unused <= 0;
  find("unused").textContent = `The permutation has no place for the last ${plural(unused, "word")}.`;
  view.trees.show(display.tree);
  showDrawing(find("tree-drawing"), display.tree.drawing);
  if (isNew) scrollToRoot(find("tree-drawing"));
  find("brackets").textContent = display.tree.brackets;
  showDrawing(find("forest"), display.forest);
  find("operators").replaceChildren(...operatorEntries(display.operators));
  showMeasures(display.measures);
}

// Drawings come from hyperbaton.views.drawings, which escape all texts.
function showDrawing(figure, drawing) {
  const { scrollLeft, scrollTop } = figure; // what was in sight stays in sight
  figure.innerHTML = drawing;
  // Drawings of right-to-left texts start at the right.
  if (answer.display.right_to_left) figure.dir = "rtl";
  else figure.removeAttribute("dir");
  figure.scrollTo(scrollLeft, scrollTop);
}

// Large trees are higher than their figure; the root is the first text of the drawing.
function scrollToRoot(figure) {
  const root = figure.querySelector("text").getBoundingClientRect();
  const { left, top, width, height } = figure.getBoundingClientRect();
  if (figure.scrollHeight > height) figure.scrollTop += root.top - top - height / 2;
  if (figure.scrollWidth > width) figure.scrollLeft += root.left - left - width / 2;
}

function showMeasures(measures) {
  const [order, other] = ["order-measures", "other-measures"].map(view.find);
  const rows = (wanted) =>
    measures.filter((row) => row.measures_order === wanted).map(measureRow);
  order.replaceChildren(...rows(true));
  other.replaceChildren(other.firstChild, ...rows(false));
}

function announce(text) {
  view.find("status").textContent = text;
}
