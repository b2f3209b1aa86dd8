// The list of segments: filters, order, and the details of an open segment.

const PAGE = 25;
const BOUNDARY = /[ \u200b]/;

const wordsOf = (text) => (text ? text.split(BOUNDARY) : []);
const plain = (text) => text.replaceAll("\u200b", "");

// A segment of a system: the words of both sides, the links, the marks, the tree and the moves.
function decodeSegment(system, index) {
  const { texts, reference, links: runs, marks, trees, moves } = data.systems[system].segments;
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
    moves: moves[index].map((move) => decodeMove(move, placedWords)),
  };
}

// The text as it was written; words that move have the colour of their move, unlinked words are grey.
function markedText(text, segment, side) {
  const moveOf = movesByWord(segment.places, segment.moves, side);
  const linked = new Set(segment.links.map((link) => link[side]));
  const look = (k) =>
    moveOf.has(k) ? `hb-mark${moveOf.get(k) % MOVE_COLOURS}` : linked.has(k) ? "" : "quiet";
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

// The segments that pass the filters, in the chosen order.
function selectSegments() {
  const { values, length, aligned, texts } = data.systems[state.system].segments;
  const mine = values[state.metric];
  const other = state.other < 0 ? null : data.systems[state.other].segments;
  const theirs = other && other.values[state.metric];
  const sign = metricNamed(state.metric).higher_is_better ? 1 : -1;
  const search = state.search.trim().toLowerCase();
  const matches = (text) => plain(text).toLowerCase().includes(search);
  const selected = [];
  for (let k = 0; k < data.n; k++) {
    if (state.from !== null && length[k] < state.from) continue;
    if (state.to !== null && length[k] > state.to) continue;
    const share = Math.min(aligned[k], other ? other.aligned[k] : 1);
    if (state.aligned !== null && share < state.aligned / 100) continue;
    if (search) {
      const searched = [...data.references[k], texts[k], ...(other ? [other.texts[k]] : [])];
      if (!searched.some(matches)) continue;
    }
    selected.push(k);
  }
  const ahead = (k) => sign * (mine[k] - theirs[k]);
  const keys = {
    number: () => 0,
    worst: (k) => sign * mine[k],
    best: (k) => -sign * mine[k],
    longest: (k) => -length[k],
    aligned: (k) => aligned[k],
    difference: (k) => -Math.abs(ahead(k)),
    ahead: (k) => -ahead(k),
    behind: (k) => ahead(k),
  };
  const key = selected.map(keys[state.sort]);
  const order = selected.map((_, k) => k).sort((a, b) => key[a] - key[b] || a - b);
  return order.map((k) => selected[k]);
}

function showList() {
  const list = selectSegments();
  state.list = list;
  const at = list.indexOf(state.segment);
  if (at >= 0) state.page = Math.floor(at / PAGE);
  const pages = Math.max(1, Math.ceil(list.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const rows = list.slice(state.page * PAGE, (state.page + 1) * PAGE);
  // A link may lead to a segment that the filters exclude: it is listed first.
  if (state.segment !== null && at < 0) rows.unshift(state.segment);
  byId("list").replaceChildren(...rows.map(segmentRow));
  const outside = state.segment !== null && at < 0 ? "; the open one is not among them" : "";
  const all = list.length === data.n ? "" : ` of ${count(data.n)}`;
  byId("count").textContent = list.length
    ? `${plural(list.length, "segment")}${all}${outside}`
    : `No segment matches${outside}.`;
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

function textLine(system, segment, index) {
  const { texts, values } = data.systems[system].segments;
  return element(
    "div",
    { class: "line" },
    element("bdi", { class: "who", title: data.systems[system].name }, data.systems[system].name),
    element("span", { class: "value" }, number(values[state.metric][index])),
    markedText(texts[index], segment, 0),
  );
}

function segmentRow(index) {
  const open = index === state.segment;
  const { length, aligned, reference } = data.systems[state.system].segments;
  const segment = decodeSegment(state.system, index);
  const opener = button(count(index + 1), () => openSegment(open ? null : index));
  opener.className = "opener";
  opener.setAttribute("aria-expanded", open);
  opener.setAttribute("aria-label", `Segment ${count(index + 1)}`);
  const lines = [
    element(
      "div",
      { class: "line" },
      element("span", { class: "who" }, "reference"),
      element("span", { class: "value" }),
      markedText(data.references[index][reference[index]], segment, 1),
    ),
    textLine(state.system, segment, index),
  ];
  if (state.other >= 0) lines.push(textLine(state.other, decodeSegment(state.other, index), index));
  const facts = element("div", { class: "facts" }, `${plural(length[index], "word")}, `);
  facts.append(`${percent(aligned[index])} aligned`);
  const head = element("div", { class: "row" }, element("div", {}, opener, facts));
  head.append(element("div", {}, ...lines));
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
  const panels = [state.system, ...(state.other >= 0 ? [state.other] : [])].map((system) =>
    systemPanel(system, index),
  );
  const parts = [steps, ...panels];
  if (data.references[index].length > 1) parts.push(referenceList(index));
  if (data.systems.length > 1) parts.push(allSystems(index));
  return element("div", { class: "detail" }, ...parts);
}

function systemPanel(system, index) {
  const { name, segments } = data.systems[system];
  const segment = decodeSegment(system, index);
  const values = data.metrics.map((metric) =>
    element(
      "div",
      {},
      element("dt", {}, `${metric.name} ${arrow(metric)}`),
      element("dd", {}, number(segments.values[metric.name][index])),
    ),
  );
  const panel = element("section", { class: "panel", "aria-label": name });
  panel.append(element("h3", {}, element("bdi", {}, name)));
  panel.append(element("dl", { class: "values" }, ...values));
  if (!segment.links.length) {
    panel.append(element("p", {}, "No word is aligned, so the word order cannot be compared."));
  } else if (!segment.moves.length) {
    panel.append(element("p", {}, "The aligned words are in the reference’s order."));
  } else {
    panel.append(element("h4", {}, "From the system’s order to the reference’s"));
    panel.append(element("ol", { class: "moves" }, ...segment.moves.map(moveSentence)));
  }
  const figures = element("div", { class: "figures" }, figure("Links", name, drawAlignment(segment)));
  if (segment.moves.length) {
    const tree = drawTree(segment.tree, segment.placedWords, segment.moves);
    figures.append(figure("Permutation tree", name, tree));
  }
  panel.append(figures);
  return panel;
}

function figure(title, name, drawing) {
  const label = { "aria-label": `${title}, ${name}`, tabindex: "0", role: "region" };
  return element("div", {}, element("h4", {}, title), element("figure", label, drawing));
}

function moveSentence({ block, side, anchor }, k) {
  return element(
    "li",
    {},
    "moved “",
    element("bdi", { class: `hb-mark${k % MOVE_COLOURS}` }, block.text),
    `”${block.suffix} ${side} “`,
    element("bdi", {}, anchor.text),
    `”${anchor.suffix}`,
  );
}

function referenceList(index) {
  const texts = data.references[index].map((text) => element("li", { dir: "auto" }, plain(text)));
  const title = element("h4", {}, "All references; the one with the most aligned words is drawn");
  return element("div", {}, title, element("ol", {}, ...texts));
}

// The translations of all systems, best first.
function allSystems(index) {
  const sign = metricNamed(state.metric).higher_is_better ? -1 : 1;
  const value = (system) => data.systems[system].segments.values[state.metric][index];
  const order = data.systems.map((_, k) => k).sort((a, b) => sign * (value(a) - value(b)) || a - b);
  const lines = order.map((system) => {
    const line = textLine(system, decodeSegment(system, index), index);
    if (system === state.system || system === state.other) line.classList.add("shown");
    const name = line.firstChild.textContent;
    const pick = button(name, () => {
      if (system === state.other) state.other = state.system;
      state.system = system;
      openSegment(index);
    });
    pick.title = `Show ${name}`;
    line.firstChild.replaceWith(pick);
    return line;
  });
  const title = element("h4", {}, "All systems");
  return element("div", { class: "everyone" }, title, ...lines);
}
