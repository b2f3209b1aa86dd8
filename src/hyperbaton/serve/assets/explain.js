// Explain: two sentences, and everything that Hyperbaton says of their word order.

import { request } from "./api.js";
import { button, debounce, element, plural } from "./dom.js";
import { EXAMPLES } from "./explain_examples.js";
import { showPart, showParts } from "./explain_parts.js";
import { startLanguageChoice } from "./language_choice.js";
import { latestOnly } from "./latest_request.js";
import { startLinkEditor } from "./link_editor.js";
import { readQuery, startCopyButton, writeAddress } from "./shared_address.js";

const PAUSE = 30; // milliseconds without a key before a request
const LONGER_PAUSE = 300; // before what is slow, and before a screen reader hears the result
const PATIENCE = 500; // before the reader is told that an answer takes time
const OLD = "The results below are still those of the previous texts.";
const DROPPED = "The edited links were dropped, because the input changed.";
const EDITED = "Everything is computed from the edited links.";

let view; // the section, its fields and the link editor
let language = null; // the code of the language that is in use
let linked = null; // the last request with edited links, which Undo brings back
let links = null; // edited links in Pharaoh format; null for those of the aligner
let answer = null; // the explanation that is shown
let answered = null; // what was asked for it
let written = null; // the query that this view has written into the address
let following = null; // stops the request for slow metrics

export function start(section, info) {
  const find = (name) => section.querySelector(`#explain-${name}`);
  const [hypothesis, reference, plain] = ["hypothesis", "reference", "plain"].map(find);
  view = { section, find, hypothesis, reference, plain, result: find("result") };
  startLanguage(info);
  find("examples").append(...EXAMPLES.map((example) => button(example.name, () => use(example))));
  for (const field of [hypothesis, reference, plain]) field.addEventListener("input", changeInput);
  find("reset").addEventListener("click", resetLinks);
  startCopyButton(find("copy"), find("copied"));
  const rows = [...section.querySelectorAll(".word-row")];
  view.editor = startLinkEditor(rows, find("links"), toggleLink);
}

function startLanguage(info) {
  const field = view.find("language");
  const known = new Set(info.languages.map(({ code }) => code));
  view.language = startLanguageChoice(field, view.find("language-error"), info, () => {
    const code = view.language.code();
    // What is still being typed may look like the tag of another language.
    if (code === null || known.has(code)) useLanguage(code);
  });
  field.addEventListener("change", () => useLanguage(view.language.code() ?? null));
}

function useLanguage(code) {
  if (code === language) return;
  language = code;
  changeInput();
}

function changeInput() {
  dropLinks();
  submitSoon();
}

export function show(query) {
  if (query && query !== written) restore(readQuery(query));
  else if (written !== null) writeState();
  else use(EXAMPLES[0]);
}

// What the reader has asked for, as the server takes it.
const currentRequest = () => ({
  hypothesis: view.hypothesis.value,
  reference: view.reference.value,
  language,
  tokenize: view.plain.checked ? "none" : null,
  alignment: links,
});

const sameRequest = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function fill({ hypothesis = "", reference = "", language: code = null, plain = false }) {
  view.hypothesis.value = hypothesis;
  view.reference.value = reference;
  view.language.choose(code);
  language = view.language.code() ?? null;
  view.plain.checked = plain;
}

function use(example) {
  fill(example);
  useLinks(null);
  showLinksNote("");
  submit(currentRequest());
}

// The address: h and r are the texts, l is the language, k=none leaves words as they are, and a has
// the edited links.
function restore({ h, r, l, k, a }) {
  fill({ hypothesis: h, reference: r, language: l, plain: k === "none" });
  useLinks(a ?? null);
  showLinksNote(links === null ? "" : EDITED);
  submit(currentRequest());
}

function writeState() {
  if (view.section.hidden) return; // the address belongs to another view
  const { hypothesis, reference, tokenize, alignment } = currentRequest();
  written = writeAddress("explain", {
    h: hypothesis,
    r: reference,
    l: language,
    k: tokenize,
    a: alignment,
  });
}

const submitSoon = debounce(() => submit(currentRequest()), PAUSE);

const submit = latestOnly(async (asked, isLatest) => {
  following?.abort();
  writeState();
  const hint = hintFor(asked);
  view.find("hint").textContent = hint;
  if (hint) return showNothing();
  const late = setTimeout(() => markOld(answer ? `Computing… ${OLD}` : "Computing…"), PATIENCE);
  try {
    answer = await request("POST", "/api/explain", { ...asked, slow: false, display: true });
  } catch (error) {
    if (isLatest()) showError(error.message);
    return;
  } finally {
    clearTimeout(late);
  }
  answered = asked;
  showAnswer();
  if (isLatest()) followUp(asked);
});

// What is missing before there is something to explain, or "".
function hintFor({ hypothesis, reference }) {
  const texts = { translation: hypothesis, reference };
  const missing = Object.keys(texts).filter((name) => !texts[name].trim());
  const names = missing.map((name) => `a ${name}`).join(" and ");
  return names && `Type ${names}. The explanation will be shown here.`;
}

function showNothing() {
  answer = null;
  view.find("error").textContent = "";
  markOld("");
  view.result.hidden = true;
}

function showError(message) {
  view.find("error").textContent = message;
  markOld(answer ? OLD : "");
}

// Marks the result as that of earlier texts, with a note that says so.
function markOld(note) {
  view.find("old").textContent = note;
  view.result.classList.toggle("old", Boolean(note));
}

function showAnswer() {
  view.find("error").textContent = "";
  view.find("slow").textContent = "";
  markOld("");
  view.result.hidden = false;
  showParts(view.result, answer.display);
  view.editor.show([answer.hypothesis_words, answer.reference_words], wordLinks());
}

// What can wait until the reader pauses: slow metrics, and a sentence for screen readers.
const followUp = debounce(async (asked) => {
  if (!sameRequest(asked, currentRequest())) return;
  view.find("status").textContent = summarize();
  const { pending } = answer;
  if (!pending.length) return;
  following = new AbortController();
  try {
    const body = { ...asked, display: true };
    const whole = await request("POST", "/api/explain", body, following.signal);
    if (!sameRequest(asked, currentRequest())) return;
    showPart(view.result, whole.display.find((part) => part.name === "scores"));
  } catch (error) {
    if (error.name === "AbortError") return;
    view.find("slow").textContent = `${pending.join(" and ")}: ${error.message}`;
  }
}, LONGER_PAUSE);

function summarize() {
  const linked = new Set(wordLinks().map(([h]) => h)).size;
  const words = plural(answer.hypothesis_words.length, "word");
  const moves = answer.moves.map((move) => move.text).join("; ");
  return `${linked} of ${words} linked, ${plural(answer.moves.length, "move")}. ${moves}`;
}

// The links of the answer, word by word: a phrase links all its words.
function wordLinks() {
  const range = (start, length) => Array.from({ length }, (_, k) => start + k);
  return answer.alignment.links.flatMap((link) =>
    range(link.hyp, link.hyp_length).flatMap((h) =>
      range(link.ref, link.ref_length).map((r) => [h, r]),
    ),
  );
}

// Links that this view has written.
const readLinks = (text) =>
  text.split(/\s+/u).filter(Boolean).map((link) => link.split("-").map(Number));

function toggleLink(h, r) {
  const isUpToDate = answered.alignment === links;
  // The words that are shown may be those of an earlier text, and the links may not be known yet.
  if (!sameRequest({ ...answered, alignment: links }, currentRequest())) return;
  if (!isUpToDate && links === null) return;
  const pairs = isUpToDate ? wordLinks() : readLinks(links);
  const others = pairs.filter((pair) => pair[0] !== h || pair[1] !== r);
  const removed = others.length < pairs.length;
  if (!removed) others.push([h, r]);
  useLinks(others.map((pair) => pair.join("-")).join(" "));
  const names = `“${answer.hypothesis_words[h]}” and “${answer.reference_words[r]}”`;
  showLinksNote(`${removed ? "Removed the link of" : "Linked"} ${names}. ${EDITED}`);
  submit(currentRequest());
}

function resetLinks() {
  if (links === null) return;
  useLinks(null);
  showLinksNote("The links are those of the aligner again.");
  submit(currentRequest());
}

// Uses edited links, or those of the aligner (null), with the texts as they are.
function useLinks(edited) {
  links = edited;
  linked = edited === null ? null : currentRequest();
  offerUndo(false);
}

// Links say which words belong together: they are void when the words change.
function dropLinks() {
  if (links === null) return;
  links = null;
  showLinksNote("");
  offerUndo(true);
}

// The offer is beside the fields, where the reader is typing.
function offerUndo(isOffered) {
  const offer = () => element("p", { class: "field remark" }, DROPPED, button("Undo", undoDrop));
  view.find("dropped").replaceChildren(...(isOffered ? [offer()] : []));
}

function undoDrop() {
  const { hypothesis, reference, language: code, tokenize, alignment } = linked;
  fill({ hypothesis, reference, language: code, plain: tokenize === "none" });
  useLinks(alignment);
  showLinksNote(EDITED);
  submit(currentRequest());
  view.hypothesis.focus(); // the button is gone
}

function showLinksNote(text) {
  view.find("links-note").textContent = text;
  // A disabled button would lose the focus.
  view.find("reset").setAttribute("aria-disabled", links === null);
}
