// The list of segments: filters, order, and the details of an open segment.

const PAGE = 25;
const LINKS_NOTE =
  "Lines join the words of the two sentences that correspond to each other; grey words have no partner. Words that must move have the colour of their move.";
const TREE_NOTE =
  "Each node shows the order of its parts; the number under a leaf is its position in the reference. Blocks that must move have the numbers of their moves.";
const BOUNDARY = /[ \u200b]/;
const MAX_DRAWN = 5000; // words of a sentence; browsers stall on larger drawings
const FAR = 5; // words; moves from here on are far
// Kinds of moves to filter by.
const KINDS = {
  "": "any",
  word: "single words",
  group: "groups of words",
  left: "too early",
  right: "too late",
  far: `far moves of ${FAR}+ words`,
  punctuation: "only punctuation",
  none: "no move",
};

const wordsOf = (text) => (text ? text.split(BOUNDARY) : []);
const plain = (text) => text.replaceAll("\u200b", "");

// Whether a segment of a system has moves of a kind.
function hasKind(system, index, kind) {
  const { moves, punctuation } = data.systems[system].segments;
  const ofWords = moves[index].slice(0, moves[index].length - punctuation[index]);
  const kinds = {
    word: ([start, end]) => end - start === 1,
    group: ([start, end]) => end - start > 1,
    left: ([, , before]) => !before,
    right: ([, , before]) => before,
    far: (move) => move[5] >= FAR,
  };
  if (kind === "none") return !moves[index].length;
  if (kind === "punctuation") return !ofWords.length && punctuation[index] > 0;
  return ofWords.some(kinds[kind]);
}

// A segment of a system: the words of both sides, the links, the marks, the tree and the moves.
// Moves of punctuation are the last ones; they are left out unless the reader wants them.
function decodeSegment(system, index) {
  const { texts, reference, links: runs, marks, trees, moves, punctuation } =
    data.systems[system].segments;
  const ofWords = moves[index].length - punctuation[index];
  const shown = state.punctuation ? moves[index] : moves[index].slice(0, ofWords);
  const words = [texts[index], data.references[index][reference[index]]].map(wordsOf);
  const links = decodeLinks(runs[index]);
  const places = placesOf(links);
  const placedWords = placeWords(words, places);
  return {
    words,
    links,
    places,
    placedWords,
    marks: decodeMarks(marks[index]),
    tree: decodeTree(trees[index], placedWords),
    moves: shown.map((move, k) => ({ ...decodeMove(move, placedWords), pale: k >= ofWords })),
    hidden: moves[index].length - shown.length,
  };
}

const markLook = (moves, k) => (moves[k].pale ? "hb-mark-pale" : `hb-mark${k % MOVE_COLOURS}`);

// The text as it was written; words that move have the colour of their move, unlinked words are grey.
function markedText(text, segment, side) {
  const moveOf = movesByWord(segment.places, segment.moves, side);
  const linked = new Set(segment.links.map((link) => link[side]));
  const look = (k) =>
    moveOf.has(k) ? markLook(segment.moves, moveOf.get(k)) : linked.has(k) ? "" : "quiet";
  const box = element("span", { class: "text", dir: "auto" });
  if (!text) box.append(element("span", { class: "quiet" }, "(no words)"));
  let run = "",
    before = "";
  const flush = () => run && box.append(before ? element("bdi", { class: before }, run) : run);
  wordsOf(text).reduce((at, word, k) => {
    const gap = text[at - 1] === " " ? " " : "";
    if (look(k) !== before) {
      flush();
      box.append(gap);
      [run, before] = [word, look(k)];
    } else run += gap + word;
    return at + word.length + 1;
  }, 0);
  flush();
  return box;
}

// The best possible value of a metric, or null if it has none.
function bestPossible(metric) {
  const [low, high] = metric.range;
  return metric.higher_is_better ? high : low;
}

// The segments that pass the filters, in the chosen order. Differences and losses count as far as
// words are linked: with one linked word of seven, a value says little about order. A metric that
// compares systems by anchors has losses and differences of its own. Segments without a value come
// last where values are compared.
function selectSegments() {
  const { values, lost, anchors, length, linked, texts } = data.systems[state.system].segments;
  const mine = values[state.metric];
  const losses = lost[state.metric];
  const other = state.other < 0 ? null : data.systems[state.other].segments;
  const theirs = other && other.values[state.metric];
  const metric = metricNamed(state.metric);
  const sign = metric.higher_is_better ? 1 : -1;
  const best = bestPossible(metric);
  // A move is one of a shown system; "no move" is said of all.
  const systems = shownSystems();
  const anyOrAll = (test) => (state.kind === "none" ? systems.every(test) : systems.some(test));
  const search = state.search.trim().toLowerCase();
  const matches = (text) => plain(text).toLowerCase().includes(search);
  const share = (k) => Math.min(linked[k], other ? other.linked[k] : 1);
  const selected = [];
  for (let k = 0; k < data.n; k++) {
    if (state.from !== null && length[k] < state.from) continue;
    if (state.to !== null && length[k] > state.to) continue;
    if (state.linked !== null && share(k) < state.linked / 100) continue;
    if (state.kind && !anyOrAll((system) => hasKind(system, k, state.kind))) continue;
    if (search) {
      const searched = [...data.references[k], texts[k]];
      if (data.sources) searched.push(data.sources[k]);
      if (other) searched.push(other.texts[k]);
      if (!searched.some(matches)) continue;
    }
    selected.push(k);
  }
  const ahead = (k) =>
    losses
      ? shareAnchors(anchors[state.metric][k], other.anchors[state.metric][k]).difference
      : sign * (mine[k] - theirs[k]) * share(k);
  const loss = (k) => (losses ? losses[k] : Math.abs(mine[k] - best) * linked[k]);
  const keys = {
    number: () => 0,
    worst: best === null ? (k) => sign * mine[k] : (k) => -loss(k),
    best: (k) => (mine[k] === null ? null : -sign * mine[k]),
    longest: (k) => -length[k],
    linked: (k) => linked[k],
    difference: other ? (k) => -Math.abs(ahead(k)) : (k) => -metric.largest[k],
    ahead: (k) => -ahead(k),
    behind: (k) => ahead(k),
  };
  const key = keys[state.sort];
  // ties: what has more linked words says more
  const ties = state.sort === "number" ? () => 0 : (k) => -share(k);
  return selected
    .map((k) => [key(k), ties(k), k])
    .sort(
      (a, b) =>
        (a[0] === null) - (b[0] === null) || a[0] - b[0] || a[1] - b[1] || a[2] - b[2],
    )
    .map(([, , k]) => k);
}

const shownSystems = () => [state.system, ...(state.other < 0 ? [] : [state.other])];

function showList() {
  const list = selectSegments();
  state.list = list;
  // The open segment follows the filters.
  if (state.segment !== null && !list.includes(state.segment)) state.segment = list[0] ?? null;
  if (state.segment !== null) state.page = Math.floor(list.indexOf(state.segment) / PAGE);
  const pages = Math.max(1, Math.ceil(list.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const rows = list.slice(state.page * PAGE, (state.page + 1) * PAGE);
  byId("list").replaceChildren(...rows.map(segmentRow));
  const found =
    list.length === data.n
      ? plural(data.n, "segment")
      : `${count(list.length)} of ${plural(data.n, "segment")}`;
  const first = state.page * PAGE;
  const part = pages > 1 ? `; ${count(first + 1)}–${count(first + rows.length)} are shown` : "";
  byId("count").textContent = list.length ? `${found}${part}` : "No segment matches.";
  const turn = (name, page) =>
    button(
      name,
      () => {
        [state.page, state.segment] = [page, null];
        change();
        byId("segments").scrollIntoView();
      },
      page < 0 || page >= pages,
    );
  byId("pager").replaceChildren(
    turn("Previous page", state.page - 1),
    `page ${count(state.page + 1)} of ${count(pages)}`,
    turn("Next page", state.page + 1),
  );
}

// What the signs for characters that are not seen stand for.
const signNotes = (index) =>
  (data.signs[index + 1] ?? []).map((text) => element("p", { class: "note" }, text));

// A line of a segment: who says it, the value and the share of linked words, and the text.
function textLine(who, value, share, text) {
  return element(
    "div",
    { class: "line" },
    element("bdi", { class: "who", title: who }, who),
    element("span", { class: "value" }, value),
    element("span", { class: "share" }, share),
    text,
  );
}

// A system has the colours of its moves only beside the reference that they lead to.
function systemLine(system, index, reference) {
  const { label, segments } = data.systems[system];
  const text = segments.texts[index];
  return textLine(
    label,
    number(segments.values[state.metric][index]),
    `${percent(segments.linked[index])} linked`,
    reference === segments.reference[index]
      ? markedText(text, decodeSegment(system, index), 0)
      : plainText(text),
  );
}

const plainText = (text) => element("span", { class: "text", dir: "auto" }, plain(text));

// The reference of a segment that is shown with some systems: that of a single system, or the one
// with most anchors of two.
function shownReference(index, systems) {
  const [first, second] = systems.map((system) => data.systems[system].segments);
  const compared = second && Object.keys(first.anchors)[0];
  if (!compared) return first.reference[index];
  return shareAnchors(first.anchors[compared][index], second.anchors[compared][index]).reference;
}

// The source, the reference, and the systems. The reference has the colours of moves only beside a
// single system: each system has moves of its own.
function segmentLines(index, systems) {
  const shown = shownReference(index, systems);
  const reference = data.references[index][shown];
  const text =
    systems.length === 1
      ? markedText(reference, decodeSegment(systems[0], index), 1)
      : plainText(reference);
  const lines = [
    textLine("reference", "", "", text),
    ...systems.map((system) => systemLine(system, index, shown)),
  ];
  if (data.sources) lines.unshift(textLine("source", "", "", plainText(data.sources[index])));
  return lines;
}

function segmentRow(index) {
  const open = index === state.segment;
  const { length } = data.systems[state.system].segments;
  const opener = button(count(index + 1), () => openSegment(open ? null : index));
  opener.className = "opener";
  opener.setAttribute("aria-expanded", open);
  opener.setAttribute("aria-label", `Segment ${count(index + 1)}`);
  const facts = element("div", { class: "facts" }, plural(length[index], "word"));
  const head = element("div", { class: "row" }, element("div", {}, opener, facts));
  head.append(element("div", {}, ...segmentLines(index, shownSystems())));
  head.addEventListener("click", (event) => {
    if (!event.target.closest("button") && !String(getSelection()))
      openSegment(open ? null : index);
  });
  const item = element("li", { id: `segment-${index + 1}`, class: open ? "open" : "" }, head);
  if (open) item.append(segmentDetails(index));
  return item;
}

function openSegment(index, scroll = false) {
  state.segment = index;
  change();
  const item = index === null ? null : byId(`segment-${index + 1}`);
  if (item) {
    item.querySelector(".opener").focus({ preventScroll: true });
    if (scroll) item.scrollIntoView({ block: "start" });
  }
}

function step(by) {
  const at = state.list.indexOf(state.segment);
  const next = state.segment === null ? state.page * PAGE : at + by;
  if (next >= 0 && next < state.list.length) openSegment(state.list[next], true);
}

function segmentDetails(index) {
  const at = state.list.indexOf(index);
  const link = element("a", { href: hashOf({ ...state, segment: index }) }, "link to this view");
  const steps = element(
    "div",
    { class: "steps" },
    button("Previous", () => step(-1), at <= 0),
    button("Next", () => step(1), at < 0 || at + 1 >= state.list.length),
    link,
  );
  const panels = shownSystems().map((system) => systemPanel(system, index));
  const parts = [steps, ...signNotes(index), ...panels];
  if (data.references[index].length > 1) parts.push(referenceList(index));
  if (several()) parts.push(allSystems(index));
  return element("div", { class: "detail" }, ...parts);
}

function systemPanel(system, index) {
  const { name, label, segments } = data.systems[system];
  const segment = decodeSegment(system, index);
  const values = data.metrics.map((metric) =>
    element(
      "div",
      {},
      element("dt", {}, titled(metric)),
      element("dd", {}, number(segments.values[metric.name][index])),
    ),
  );
  const panel = element("section", { class: "panel", "aria-label": label });
  panel.append(element("h3", {}, nameOf(name)));
  panel.append(element("dl", { class: "values" }, ...values));
  panel.append(...describeMoves(segment));
  const longest = Math.max(...segment.words.map((words) => words.length));
  if (longest > MAX_DRAWN) {
    panel.append(element("p", {}, `${count(longest)} words are too many to draw.`));
    return panel;
  }
  const figures = element(
    "div",
    { class: "figures" },
    figure("link", "Links", label, drawAlignment(segment), LINKS_NOTE),
  );
  if (segment.moves.length) {
    const tree = drawTree(segment.tree, segment.placedWords, segment.moves);
    figures.append(figure("permutation-tree", "Permutation tree", label, tree, TREE_NOTE));
  }
  panel.append(figures);
  return panel;
}

// What must move, in sentences; moves of punctuation come last, under a heading of their own.
function describeMoves({ links, moves, hidden }) {
  if (!links.length) {
    return [element("p", {}, "No word is linked, so the word order cannot be compared.")];
  }
  const sentences = moves.map(moveSentence);
  const ofWords = moves.filter((move) => !move.pale).length;
  const marks = moves.length - ofWords;
  const parts = [];
  if (ofWords) {
    parts.push(element("h4", {}, "From the system’s order to the reference’s"));
    parts.push(element("ol", { class: "moves" }, ...sentences.slice(0, ofWords)));
    const more = `${plural(hidden, "move")} of punctuation not shown`;
    if (hidden) parts.push(element("p", { class: "note" }, more));
  } else if (!marks && !hidden) {
    parts.push(element("p", {}, "The linked words are in the order of the reference."));
  } else {
    parts.push(element("p", {}, "Only punctuation is not in the order of the reference."));
  }
  if (marks) {
    const list = { class: "moves quiet", start: ofWords + 1 };
    parts.push(element("h4", { class: "quiet" }, "Moves of punctuation"));
    parts.push(element("ol", list, ...sentences.slice(ofWords)));
  }
  return parts;
}

function figure(key, title, name, drawing, note) {
  const label = { "aria-label": `${title}, ${name}`, tabindex: "0", role: "region" };
  if (drawing.dataset.mirrored) label.dir = "rtl"; // the sentence starts at the right
  return element(
    "div",
    {},
    element("h4", {}, term(key, title)),
    element("p", { class: "note" }, note),
    element("figure", label, drawing),
  );
}

function moveSentence(move, k, moves) {
  const { block, anchor, before, distance } = move;
  return element(
    "li",
    {},
    "move “",
    element("bdi", { class: markLook(moves, k) }, block.text),
    `”${block.suffix} ${before ? "before" : "after"} “`,
    element("bdi", {}, anchor.text),
    `”${anchor.suffix}, ${plural(distance, "word")} ${before ? "earlier" : "later"}`,
  );
}

function referenceList(index) {
  const texts = data.references[index].map((text) => element("li", { dir: "auto" }, plain(text)));
  const { anchors } = data.systems[state.system].segments;
  const chosen = Object.keys(anchors).length ? "words in place" : "linked words";
  const title = element("h4", {}, `All references; the one with the most ${chosen} is drawn`);
  return element("div", {}, title, element("ol", {}, ...texts));
}

// The translations of all systems, in the order of the tables.
function allSystems(index) {
  const order = ranked(metricNamed(state.metric)).map(({ name }) => systemNamed(name));
  const lines = segmentLines(index, shownSystems()).slice(0, -shownSystems().length);
  for (const system of order) {
    const line = systemLine(system, index, shownReference(index, shownSystems()));
    if (shownSystems().includes(system)) line.classList.add("shown");
    const { label } = data.systems[system];
    const pick = button(label, () => {
      if (system === state.other) state.other = state.system;
      state.system = system;
      openSegment(index);
    });
    pick.title = `Show ${label}`;
    line.firstChild.replaceWith(pick);
    lines.push(line);
  }
  return element("div", { class: "everyone" }, element("h4", {}, "All systems"), ...lines);
}
