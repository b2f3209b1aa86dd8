// The page: its data, its state, and the keyboard. Data is only inserted as text nodes: no script
// here writes markup.

const data = JSON.parse(document.getElementById("content").textContent);
const DIGITS = 4;
const SPANS = [2, 4, 8, 16, 32]; // the last length of each bin; one more bin is open
const state = {
  metric: "",
  system: 0,
  other: -1,
  sort: "worst",
  from: null,
  to: null,
  aligned: null,
  search: "",
  segment: null,
  page: 0,
  list: [],
  tableSort: null,
};

const byId = (id) => document.getElementById(id);
const count = (value) => value.toLocaleString("en-US");
const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
const number = (value, digits = DIGITS) => (value === null ? "–" : value.toFixed(digits));
const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)}\u00a0%`);
const arrow = (metric) => (metric.higher_is_better ? "↑" : "↓");
const metricNamed = (name) => data.metrics.find((metric) => metric.name === name);
const systemNamed = (name) => data.systems.findIndex((system) => system.name === name);
const parseWhole = (text) => (/^\d{1,9}$/.test(text) ? +text : null);
const formatP = (p) => (p >= 0.0005 ? p.toFixed(3) : "<0.001");

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

const heading = (text, kind = "") => element("th", { scope: "col", class: kind }, text);
const nameCell = (name) =>
  element("th", { scope: "row", class: name.length > 28 ? "long" : "" }, element("bdi", {}, name));
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
    aligned: null,
    search: "",
    segment: null,
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
  for (const key of ["sort", "from", "to", "aligned", "search"]) add(key, view[key] ?? "");
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
  const segment = whole("segment");
  Object.assign(state, initial, {
    metric: metricNamed(parts.get("metric")) ? parts.get("metric") : initial.metric,
    system: named("system"),
    other: named("other"),
    from: whole("from"),
    to: whole("to"),
    aligned: whole("aligned"),
    search: parts.get("search") || "",
    segment: segment !== null && segment >= 1 && segment <= data.n ? segment - 1 : null,
    page: 0,
  });
  const sorts = sortNames();
  const sort = parts.get("sort") || initial.sort;
  state.sort = Object.hasOwn(sorts, sort) ? sort : "worst";
  return true;
}

function sortNames() {
  const worst = { worst: "worst first", best: "best first" };
  const others = {
    longest: "longest first",
    aligned: "least aligned first",
    number: "original order",
  };
  if (state.other < 0) return { ...worst, ...others };
  const pair = {
    difference: "largest difference first",
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

// Shows the state, and updates the address unless the state came from there.
function change(updateHash = true) {
  if (state.other === state.system) state.other = -1;
  if (!Object.hasOwn(sortNames(), state.sort)) state.sort = "worst";
  const systems = data.systems.map((system) => system.name);
  fill(
    "metric",
    Object.fromEntries(data.metrics.map(({ name }) => [`m${name}`, name])),
    `m${state.metric}`,
  );
  fill("system", { ...systems }, state.system);
  const others = systems.map((name, k) => [k, name]).filter(([k]) => k !== state.system);
  byId("other").replaceChildren(
    ...[[-1, "none"], ...others].map(([key, text]) => {
      const option = element("option", { value: key }, text);
      option.selected = key === state.other;
      return option;
    }),
  );
  fill("sort", sortNames(), state.sort);
  for (const key of ["from", "to", "aligned", "search"]) {
    if (document.activeElement !== byId(key)) byId(key).value = state[key] ?? "";
  }
  if (state.shownMetric !== state.metric) {
    state.shownMetric = state.metric;
    state.tableSort = null;
    showSystems();
    showSpread();
    showExamples();
  }
  showList();
  if (updateHash) history.replaceState(null, "", hashOf(state));
}

function followHash() {
  if (!readHash()) return;
  change(false);
  if (state.segment !== null) byId(`segment-${state.segment + 1}`).scrollIntoView();
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

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    if (typing) typing.blur();
    else if (state.segment !== null) openSegment(null);
    return;
  }
  if (typing) return;
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

onInput("metric", (value) => (state.metric = value.slice(1)));
onInput("system", (value) => (state.system = +value));
onInput("other", (value) => (state.other = +value));
onInput("sort", (value) => (state.sort = value));
onInput("from", (value) => (state.from = parseWhole(value)));
onInput("to", (value) => (state.to = parseWhole(value)));
onInput("aligned", (value) => (state.aligned = parseWhole(value)));
onInput("search", (value) => (state.search = value));
byId("reset").addEventListener("click", () => {
  Object.assign(state, defaults(), { metric: state.metric, page: 0 });
  change();
});
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("other-label").hidden = data.systems.length < 2;
addEventListener("hashchange", followHash);
addEventListener("keydown", onKey);
showAbout();
showProfile();
if (!readHash()) Object.assign(state, defaults());
change(false);
if (state.segment !== null) byId(`segment-${state.segment + 1}`).scrollIntoView();
