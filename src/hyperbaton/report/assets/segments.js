// The list of segments: which are shown, in which order, and what an opened one says.

const PAGE = 25;
const BOUNDARY = /[ \u200b]/;

const wordsOf = (text) => (text ? text.split(BOUNDARY) : []);
const plain = (text) => text.replaceAll("\u200b", "");

// All that is known of a segment of a system: words of both sides, links, permutation, moves.
function passage(system, index) {
  const { texts, reference, links: runs } = data.systems[system].segments;
  const words = [texts[index], data.references[index][reference[index]]].map(wordsOf);
  const links = linksOf(runs[index]);
  const places = placesOf(links);
  const permutation = permutationOf(places);
  const tree = treeOf(permutation);
  return { words, links, places, permutation, tree, moves: movesOf(tree) };
}

// A text as it was written, its words marked by move; grey ones have no link.
function markedText(text, found, side) {
  const moving = movingWords(found.places, found.moves, side);
  const linked = new Set(found.links.map((link) => link[side]));
  const look = (k) =>
    moving.has(k) ? `hb-mark${moving.get(k) % MOVE_COLOURS}` : linked.has(k) ? "" : "quiet";
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

// Which segments are asked for, in order.
function chosenSegments() {
  const { values, length, aligned, texts } = data.systems[state.system].segments;
  const mine = values[state.metric];
  const other = state.other < 0 ? null : data.systems[state.other].segments;
  const theirs = other && other.values[state.metric];
  const sign = metricNamed(state.metric).higher_is_better ? 1 : -1;
  const search = state.search.trim().toLowerCase();
  const within = (text) => plain(text).toLowerCase().includes(search);
  const found = [];
  for (let k = 0; k < data.n; k++) {
    if (state.from !== null && length[k] < state.from) continue;
    if (state.to !== null && length[k] > state.to) continue;
    const share = Math.min(aligned[k], other ? other.aligned[k] : 1);
    if (state.aligned !== null && share < state.aligned / 100) continue;
    if (search) {
      const shown = [...data.references[k], texts[k], ...(other ? [other.texts[k]] : [])];
      if (!shown.some(within)) continue;
    }
    found.push(k);
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
  const key = found.map(keys[state.sort]);
  const order = found.map((_, k) => k).sort((a, b) => key[a] - key[b] || a - b);
  return order.map((k) => found[k]);
}

function showList() {
  const list = chosenSegments();
  state.list = list;
  const at = list.indexOf(state.segment);
  if (at >= 0) state.page = Math.floor(at / PAGE);
  const pages = Math.max(1, Math.ceil(list.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const rows = list.slice(state.page * PAGE, (state.page + 1) * PAGE);
  // A link may lead to what the filters leave out: it comes first, and says so.
  if (state.segment !== null && at < 0) rows.unshift(state.segment);
  byId("list").replaceChildren(...rows.map((k) => row(k)));
  const outside = state.segment !== null && at < 0 ? "; the open one is not among them" : "";
  const all = list.length === data.n ? "" : ` of ${count(data.n)}`;
  byId("count").textContent = list.length
    ? `${plural(list.length, "segment")}${all}${outside}`
    : `No segment fits${outside}.`;
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

function line(system, found, index) {
  const { texts, values } = data.systems[system].segments;
  return element(
    "div",
    { class: "line" },
    element("bdi", { class: "who", title: data.systems[system].name }, data.systems[system].name),
    element("span", { class: "value" }, number(values[state.metric][index])),
    markedText(texts[index], found, 0),
  );
}

function row(index) {
  const open = index === state.segment;
  const { length, aligned, reference } = data.systems[state.system].segments;
  const found = passage(state.system, index);
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
      markedText(data.references[index][reference[index]], found, 1),
    ),
    line(state.system, found, index),
  ];
  if (state.other >= 0) lines.push(line(state.other, passage(state.other, index), index));
  const facts = element("div", { class: "facts" }, `${plural(length[index], "word")}, `);
  facts.append(`${percent(aligned[index])} aligned`);
  const head = element("div", { class: "row" }, element("div", {}, opener, facts));
  head.append(element("div", {}, ...lines));
  head.addEventListener("click", (event) => {
    if (!event.target.closest("button") && !String(getSelection()))
      openSegment(open ? null : index);
  });
  const item = element("li", { id: `segment-${index + 1}`, class: open ? "open" : "" }, head);
  if (open) item.append(detail(index));
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

function detail(index) {
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
    panel(system, index),
  );
  const parts = [steps, ...panels];
  if (data.references[index].length > 1) parts.push(references(index));
  if (data.systems.length > 1) parts.push(everyone(index));
  return element("div", { class: "detail" }, ...parts);
}

function panel(system, index) {
  const { name, segments } = data.systems[system];
  const found = passage(system, index);
  const placed = placedWords(found);
  const values = data.metrics.map((metric) =>
    element(
      "div",
      {},
      element("dt", {}, `${metric.name} ${arrow(metric)}`),
      element("dd", {}, number(segments.values[metric.name][index])),
    ),
  );
  const made = element("section", { class: "panel", "aria-label": name });
  made.append(element("h3", {}, element("bdi", {}, name)));
  made.append(element("dl", { class: "values" }, ...values));
  if (!found.links.length) {
    made.append(element("p", {}, "No word is aligned, so there is no order to speak of."));
  } else if (!found.moves.length) {
    made.append(element("p", {}, "The aligned words are in the reference’s order."));
  } else {
    made.append(element("h4", {}, "From the system’s order to the reference’s"));
    made.append(
      element("ol", { class: "moves" }, ...toldMoves(found, placed).map(moved)),
    );
  }
  const names = ["system", "reference"];
  const links = drawAlignment(found.words, found.links, found.places, found.moves, names);
  const figures = element("div", { class: "figures" }, figure("Links", name, links));
  if (found.moves.length) {
    const tree = drawTree(found.tree, found.permutation, placed, found.moves);
    figures.append(figure("Permutation tree", name, tree));
  }
  made.append(figures);
  return made;
}

function figure(title, name, drawing) {
  const label = { "aria-label": `${title}, ${name}`, tabindex: "0", role: "region" };
  return element("div", {}, element("h4", {}, title), element("figure", label, drawing));
}

function moved({ block, side, anchor }, k) {
  return element(
    "li",
    {},
    "moved “",
    element("bdi", { class: `hb-mark${k % MOVE_COLOURS}` }, block.text),
    `”${block.where} ${side} “`,
    element("bdi", {}, anchor.text),
    `”${anchor.where}`,
  );
}

function references(index) {
  const texts = data.references[index].map((text) => element("li", { dir: "auto" }, plain(text)));
  const title = element("h4", {}, "All references; that with the most aligned words is drawn");
  return element("div", {}, title, element("ol", {}, ...texts));
}

// What all systems have made of it, the best first.
function everyone(index) {
  const sign = metricNamed(state.metric).higher_is_better ? -1 : 1;
  const value = (system) => data.systems[system].segments.values[state.metric][index];
  const order = data.systems.map((_, k) => k).sort((a, b) => sign * (value(a) - value(b)) || a - b);
  const lines = order.map((system) => {
    const made = line(system, passage(system, index), index);
    if (system === state.system || system === state.other) made.classList.add("shown");
    const name = made.firstChild.textContent;
    const pick = button(name, () => {
      if (system === state.other) state.other = state.system;
      state.system = system;
      openSegment(index);
    });
    pick.title = `Show ${name}`;
    made.firstChild.replaceWith(pick);
    return made;
  });
  const title = element("h4", {}, "All systems");
  return element("div", { class: "everyone" }, title, ...lines);
}
