// The page: its data, its state, and the keyboard. Data is only inserted as text nodes: no script
// here writes markup.

const data = JSON.parse(document.getElementById("content").textContent);
const DIGITS = 1; // of values × 100, as people see them
const state = { list: [], shown: "" }; // and the keys of defaults()

const byId = (id) => document.getElementById(id);
const count = (value) => value.toLocaleString("en-US");
const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
const decimal = (value) => (value === null ? "–" : value.toFixed(DIGITS).replace(/^-(?=[0.]*$)/, ""));
const number = (value) => decimal(value === null ? null : 100 * value);
const signed = (value) => {
  const text = number(value).replace("-", "−");
  return value > 0 && +text ? `+${text}` : text;
};
const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)}\u00a0%`);
const several = () => data.systems.length > 1;
const titled = (metric) => (metric.higher_is_better ? metric.name : `${metric.name} ↓`);
const metricNamed = (name) => data.metrics.find((metric) => metric.name === name);
const systemNamed = (name) => data.systems.findIndex((system) => system.name === name);
const parseWhole = (text) => (/^\d{1,9}$/.test(text) ? +text : null);
const formatP = ({ p, outcome }) =>
  outcome === "not scored" ? "–" : p >= 0.0005 ? p.toFixed(3) : "<0.001";

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function button(name, act, disabled = false) {
  const node = element("button", { type: "button" }, name);
  node.disabled = disabled;
  node.addEventListener("click", act);
  return node;
}

function table(heads, rows, kind = "", caption = "") {
  const head = element("tr", {}, ...heads);
  const node = element("table", { class: kind });
  if (caption) node.append(element("caption", {}, caption));
  node.append(element("thead", {}, head), element("tbody", {}, ...rows));
  return node;
}

// A long name that can be broken after its punctuation, but not within a word.
const breakable = (text) =>
  element("span", {}, ...text.split(/(?<=[:,/])/).flatMap((part) => [element("wbr", {}), part]));
const heading = (text, kind = "") => element("th", { scope: "col", class: kind }, text);
const ranked = (metric) => metric.ranking.map((rank) => data.systems[systemNamed(rank.system)]);
const labelOf = (name) => data.systems[systemNamed(name)].label;
// The name of a system as tables and sentences have it; the whole name if a reader points at it.
const nameOf = (name) => element("bdi", labelOf(name) === name ? {} : { title: name }, labelOf(name));
const nameCell = (name, after = "", before = "") =>
  element("th", { scope: "row" }, before, nameOf(name), after);
const cell = (text, kind = "") => element("td", { class: kind }, text);

// The address of the page contains the state, so that views can be shared.

function defaults() {
  const metric = metricNamed(data.metric);
  const pair = metric.separating;
  return {
    metric: metric.name,
    system: pair ? systemNamed(pair.a) : 0,
    other: pair ? systemNamed(pair.b) : -1,
    sort: pair ? "difference" : "worst",
    from: null,
    to: null,
    linked: null,
    search: "",
    kind: "",
    punctuation: false,
    segment: null,
    page: 0,
    table: "",
  };
}

function hashOf(view) {
  const initial = defaults();
  const parts = new URLSearchParams();
  const add = (key, text) => view[key] !== initial[key] && parts.set(key, text);
  if (view.segment !== null) parts.set("segment", view.segment + 1);
  add("metric", view.metric);
  add("system", data.systems[view.system].name);
  add("other", view.other < 0 ? "" : data.systems[view.other].name);
  for (const key of ["sort", "from", "to", "linked", "kind", "search", "table"]) {
    add(key, view[key] ?? "");
  }
  add("punctuation", "1");
  if (view.segment === null && view.page) parts.set("page", view.page + 1);
  return `#${parts}`;
}

function readHash() {
  const text = location.hash.slice(1);
  if (text && !text.includes("=")) return false; // the link of a section
  const parts = new URLSearchParams(text);
  const initial = defaults();
  const named = (key) => {
    const index = parts.has(key) ? systemNamed(parts.get(key)) : initial[key];
    return key === "system" && index < 0 ? initial.system : index;
  };
  const whole = (key) => parseWhole(parts.get(key) || "");
  const oneOf = (options, key) =>
    Object.hasOwn(options, parts.get(key)) ? parts.get(key) : initial[key];
  const segment = whole("segment");
  Object.assign(state, initial, {
    metric: metricNamed(parts.get("metric")) ? parts.get("metric") : initial.metric,
    system: named("system"),
    other: named("other"),
    from: whole("from"),
    to: whole("to"),
    linked: whole("linked"),
    kind: oneOf(KINDS, "kind"),
    search: parts.get("search") || "",
    punctuation: parts.get("punctuation") === "1",
    segment: segment !== null && segment >= 1 && segment <= data.n ? segment - 1 : null,
    page: Math.max(0, whole("page") - 1),
    table: oneOf(tableSorts(), "table"),
  });
  state.sort = oneOf(sortNames(), "sort");
  return true;
}

function sortNames() {
  const worst = { worst: "worst first", best: "best first" };
  const others = {
    longest: "longest first",
    linked: "least linked first",
    number: "original order",
  };
  const largest = { difference: "largest difference first" };
  if (state.other < 0) {
    const compared = metricNamed(state.metric).largest && largest; // among all pairs
    return { ...worst, ...compared, ...others };
  }
  const pair = {
    ...largest,
    ahead: "system ahead first",
    behind: "system behind first",
  };
  return { ...pair, ...worst, ...others };
}

function fill(id, options, value) {
  const items = Object.entries(options).map(([key, text]) => {
    const option = element("option", { value: key }, text);
    option.selected = key === String(value);
    return option;
  });
  byId(id).replaceChildren(...items);
}

// Options for systems, best first.
function systemOptions(selected, include) {
  return ranked(metricNamed(state.metric))
    .map(({ name }) => [systemNamed(name), name])
    .filter(([k]) => include(k))
    .map(([k, name]) => {
      const option = element("option", { value: k }, labelOf(name));
      option.selected = k === selected;
      return option;
    });
}

// Shows the state, and updates the address unless the state came from there.
function change(updateHash = true) {
  if (state.other === state.system) state.other = -1;
  if (!Object.hasOwn(sortNames(), state.sort)) state.sort = "worst";
  fill(
    "metric",
    Object.fromEntries(data.metrics.map(({ name }) => [`m${name}`, name])),
    `m${state.metric}`,
  );
  byId("system").replaceChildren(...systemOptions(state.system, () => true));
  byId("other").replaceChildren(
    element("option", { value: -1 }, "none"),
    ...systemOptions(state.other, (k) => k !== state.system),
  );
  fill("sort", sortNames(), state.sort);
  fill("kind", KINDS, state.kind);
  for (const key of ["from", "to", "linked", "search"]) {
    if (document.activeElement !== byId(key)) byId(key).value = state[key] ?? "";
  }
  byId("punctuation").checked = state.punctuation;
  const shown = JSON.stringify([state.metric, state.table, state.punctuation]);
  if (state.shown !== shown) {
    state.shown = shown;
    showSystems();
    showMoves();
    showExamples();
    showRanking();
    showSpread();
    showProfile();
    layOutSystems();
  }
  showList();
  showGlossary();
  if (updateHash) history.replaceState(null, "", hashOf(state));
}

// An address leads to the open segment, or to the list if it has filters.
function scrollToView() {
  const filters = ["from", "to", "linked", "kind", "search"];
  if (state.segment !== null) byId(`segment-${state.segment + 1}`).scrollIntoView();
  else if (filters.some((key) => state[key])) byId("segments").scrollIntoView();
}

function followHash() {
  if (!readHash()) return;
  change(false);
  scrollToView();
}

// Links to sections scroll only: the address keeps the state of the page.
function followSectionLink(event) {
  const href = event.target.closest("a")?.getAttribute("href");
  if (!href?.startsWith("#") || href.includes("=") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const target = byId(href.slice(1));
  target.focus({ preventScroll: true });
  target.scrollIntoView();
}

function onInput(id, apply) {
  let waiting = 0;
  const act = () => {
    apply(byId(id).value);
    state.page = 0;
    change();
  };
  byId(id).addEventListener("input", () => {
    clearTimeout(waiting);
    if (id === "search")
      waiting = setTimeout(act, 150); // wait until the reader stops typing
    else act();
  });
}

function clearSearch() {
  Object.assign(state, { search: "", page: 0 });
  byId("search").value = "";
  change();
}

// Escape clears the search, leaves other fields, and closes the open segment.
function onEscape(field) {
  if (field === byId("search") && field.value) clearSearch();
  if (field) field.blur();
  else if (state.segment !== null) openSegment(null);
  else if (state.search) clearSearch();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (byId("definition").matches(":popover-open")) return;
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    event.preventDefault();
    onEscape(field);
    return;
  }
  if (field) return;
  const acts = {
    n: () => step(1),
    j: () => step(1),
    p: () => step(-1),
    k: () => step(-1),
    "/": () => byId("search").focus(),
  };
  if (!Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
}

onInput("metric", (value) => Object.assign(state, { metric: value.slice(1), table: "" }));
onInput("system", (value) => (state.system = +value));
onInput("other", (value) => (state.other = +value));
onInput("sort", (value) => (state.sort = value));
onInput("from", (value) => (state.from = parseWhole(value)));
onInput("to", (value) => (state.to = parseWhole(value)));
onInput("linked", (value) => (state.linked = parseWhole(value)));
onInput("kind", (value) => {
  state.kind = value;
  if (value === "punctuation") state.punctuation = true;
});
onInput("search", (value) => (state.search = value));
onInput("punctuation", () => (state.punctuation = byId("punctuation").checked));
byId("reset").addEventListener("click", () => {
  Object.assign(state, defaults(), { metric: state.metric, table: state.table });
  change();
});
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("other-label").hidden = !several();
addEventListener("hashchange", followHash);
addEventListener("keydown", onKey);
addEventListener("click", followSectionLink);
for (const medium of [NARROW, PRINT]) medium.addEventListener("change", layOutSystems);
markTerms();
showAbout();
showVerdict();
if (!readHash()) Object.assign(state, defaults());
change(false);
scrollToView();
