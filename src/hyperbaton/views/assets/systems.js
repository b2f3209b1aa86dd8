// The summary, and tables of systems: scores and comparisons.

const MAX_LISTED_PAIRS = 6; // more pairs are shown as a matrix of p-values, as in the terminal
const MAX_PRINTED_METRICS = 7; // columns that fit on a page of paper
const NAME_COLUMN = "name";
const SHARE_COLUMNS = ["matched", "linked"];
const metricColumn = (name) => `metric ${name}`;

function showAbout() {
  const parts = [plural(data.systems.length, "system"), plural(data.n, "segment")];
  byId("about").textContent = parts.join(", ");
  byId("cautions").append(...data.notes.map((note) => element("p", { class: "caution" }, note)));
  const items = data.metrics.map((metric) => element("li", {}, metric.signature));
  if (data.sampling) items.unshift(element("li", {}, describeSampling(data.sampling)));
  byId("signatures").replaceChildren(...items, element("li", {}, `Hyperbaton ${data.hyperbaton}`));
}

function describeSampling({ method, samples, seed, level, least_p: leastP }) {
  const uncertainty =
    method === "bootstrap"
      ? `${+(100 * level).toFixed(8)} % intervals`
      : `significance at ${+(1 - level).toFixed(8)}`;
  const corrected = data.correction !== null && data.correction !== "none";
  const correction = corrected ? `; correction: ${data.correction}` : "";
  const least = leastP ? `; p at least that of the ${leastP} test` : "";
  return `${uncertainty}: ${method}, ${count(samples)} samples, seed ${seed}${least}${correction}`;
}

// The verdict, the answer first. It does not depend on the metric whose details are shown.
function showVerdict() {
  const [answer, ...others] = data.word_order.sentences.map(withNames);
  byId("summary-title").replaceChildren(...answer);
  byId("verdict").replaceChildren(...others.map((parts) => element("p", {}, ...parts)));
}

// The parts of a sentence. Names that run from right to left are isolated from what surrounds them.
const withNames = (text) =>
  text
    .split(/\u2068(.*?)\u2069/)
    .map((part, k) => (k % 2 ? element("bdi", {}, part) : part))
    .filter(Boolean);

// Whether the verdict is on word order, whose column leads the table then.
const measuresOrder = () => data.word_order.outcome !== "word order was not compared";
const tableMetric = () => metricNamed(data.word_order.figures.metric);

// Whether systems are compared by the words that they share, which says how close they are.
const comparesOrder = (metric) =>
  metric.differences.some((difference) => difference.anchors !== null);

// The orders of the table of systems by name; "-" stands for the reverse. The name of the order by
// rank is empty. Systems without a number come last in both directions.
function tableSorts() {
  const sorts = {
    "": () => 0,
    [NAME_COLUMN]: (a, b) => (a.name < b.name ? -1 : 1),
    [`-${NAME_COLUMN}`]: (a, b) => (a.name < b.name ? 1 : -1),
  };
  const add = (key, numberOf, sign) => {
    const compare = (a, b, direction) => {
      const [x, y] = [a, b].map(numberOf);
      return (x === null) - (y === null) || direction * (x - y);
    };
    sorts[key] = (a, b) => compare(a, b, sign);
    sorts[`-${key}`] = (a, b) => compare(a, b, -sign);
  };
  for (const share of SHARE_COLUMNS) add(share, (system) => system[share], -1);
  for (const { name, higher_is_better } of data.metrics) {
    add(metricColumn(name), (system) => system.scores[name].value, higher_is_better ? -1 : 1);
  }
  return sorts;
}

// A column heading that sorts the table; terms are explained beside it.
function sortHeading(key, text, { ascending = false, kind = "", about = "" } = {}) {
  const sorted = (state.table || metricColumn(tableMetric().name)).replace(/^-/, "") === key;
  const reverse = state.table.startsWith("-");
  const th = element("th", { scope: "col", class: kind });
  if (sorted) th.setAttribute("aria-sort", ascending !== reverse ? "ascending" : "descending");
  const sort = button(breakable(text.replace(" ", "\u00a0")), () => {
    state.table = sorted && !reverse ? `-${key}` : key;
    change();
    byId("system-table").querySelector("th[aria-sort] button")?.focus();
  });
  th.append(sort);
  if (about) th.append(" ", explain(about, text));
  return th;
}

const BELOW = "▼";

// How differences were tested, in a few words.
const describeTest = () =>
  `${data.sampling.method === "bootstrap" ? "paired bootstrap" : "paired randomization"}, ${+(100 * (1 - data.sampling.level)).toFixed(8)} %`;

// One table of all metrics. Systems are in the order of the first one, unless the reader sorts them.
function showSystems() {
  const first = tableMetric();
  const shares = SHARE_COLUMNS.filter((key) => data.systems.some((system) => system[key] !== null));
  const leads = measuresOrder();
  const others = leads ? data.metrics.filter((listed) => listed !== first) : data.metrics;
  const told = data.systems.some((system) => system.moves.mostly !== null);
  const heads = [
    sortHeading(NAME_COLUMN, "system", { ascending: true, kind: "left" }),
    ...(leads ? [metricHeading(first)] : []),
    ...shares.map((key) => sortHeading(key, key, { kind: "whole", about: key })),
    ...others.map(metricHeading),
    ...(told ? [heading("moves"), heading("mostly", "left")] : []),
  ];
  const clusters = new Map(first.ranking.map((rank) => [rank.system, rank.cluster]));
  let lastCluster = null;
  const rows = ranked(first)
    .sort(tableSorts()[state.table])
    .map((system) => {
      const cluster = clusters.get(system.name);
      const apart = lastCluster !== null && cluster !== null && cluster !== lastCluster;
      lastCluster = cluster;
      return element(
        "tr",
        apart && !state.table && leads ? { class: "apart" } : {},
        nameCell(system.name, baselineNote(system.name)),
        ...(leads ? [scoreCell(system, first)] : []),
        ...shares.map((key) => shareOf(system, key)),
        ...others.map((listed) => scoreCell(system, listed)),
        ...(told ? frequentMoves(system) : []),
      );
    });
  byId("system-table").replaceChildren(table(heads, rows, "system-table card-table"));
  byId("table-note").textContent = data.table_note;
}

const metricHeading = (metric) =>
  sortHeading(metricColumn(metric.name), titled(metric), {
    ascending: !metric.higher_is_better,
  });

const baselineNote = (name) => (name === data.baseline ? " (baseline)" : "");

// In how many segments words have to move, and mostly which; the verdict says it of few systems.
const frequentMoves = ({ moves }) => [
  labelled(cell(count(moves.kinds.any.segments)), "moves"),
  labelled(cell(moves.mostly, "left"), "mostly"),
];

function shareOf(system, key) {
  const few = key === "linked" ? system.linked < data.enough : isNotScored(system);
  return labelled(cell(percent(system[key]), few ? "few" : ""), key);
}

// The ranking by a metric, with exact intervals.
function showRanking() {
  const metric = metricNamed(state.metric);
  byId("ranking-title").textContent = `Ranking by ${metric.name}`;
  const about = `${metric.name}: ${metric.about}. ${metric.caution}`;
  byId("metric-about").replaceChildren(...withTerms(about, METRIC_TERMS));
  const clustered = metric.ranking.some((rank) => rank.cluster !== null);
  const intervals = metric.ranking.some((rank) => rank.lower !== null);
  const bounds = metric.ranking
    .filter((rank) => rank.value !== null)
    .flatMap((rank) => [rank.lower ?? rank.value, rank.upper ?? rank.value]);
  const scale = [Math.min(...bounds), Math.max(...bounds)];
  const heads = [heading("system", "left"), heading(titled(metric))];
  if (intervals) {
    heads.push(heading(term("interval", "interval")), heading(intervalAxis(scale), "whisker"));
  }
  if (clustered) heads.push(heading(term("rank", "rank")), heading(term("cluster", "cluster")));
  let lastCluster = null;
  const rows = metric.ranking.map((rank) => {
    const apart = lastCluster !== null && rank.cluster !== null && rank.cluster !== lastCluster;
    lastCluster = rank.cluster;
    const cells = [cell(number(rank.value))];
    if (intervals) {
      const drawn = rank.lower === null ? "–" : whisker(rank, scale);
      cells.push(cell(rank.lower === null ? "–" : `${number(rank.lower)} to ${number(rank.upper)}`));
      cells.push(element("td", { class: "whisker" }, drawn));
    }
    if (clustered) {
      const places = rank.first === rank.last ? `${rank.first ?? "–"}` : `${rank.first}–${rank.last}`;
      cells.push(cell(places), cell(`${rank.cluster ?? "–"}`));
    }
    const name = nameCell(rank.system, baselineNote(rank.system));
    return element("tr", apart ? { class: "apart" } : {}, name, ...cells);
  });
  byId("ranking").replaceChildren(table(heads, rows));
  showDifferences(metric);
}

const NARROW = matchMedia("(max-width: 700px)");
const PRINT = matchMedia("print");

// Where tables would be too wide, each system is a card whose cells show their labels.
function layOutSystems() {
  const cards = PRINT.matches ? data.metrics.length > MAX_PRINTED_METRICS : NARROW.matches;
  for (const node of document.querySelectorAll(".card-table")) node.classList.toggle("cards", cards);
}

function labelled(td, label) {
  td.dataset.label = label;
  return td;
}

const isNotScored = (system) => Object.values(system.scores).some((score) => score.not_scored !== null);

// A value with half of its interval, and a sign if it is significantly below the best.
function scoreCell(system, metric) {
  const { value, lower, upper, below } = system.scores[metric.name];
  const td = labelled(cell(number(value)), titled(metric));
  if (lower !== null) {
    td.append(" ", element("span", { class: "half" }, `±${number((upper - lower) / 2)}`));
    td.title = `${number(lower)} to ${number(upper)}`;
  }
  td.append(below ? sign(BELOW, "significantly below the best") : sign("", ""));
  return td;
}

// A sign behind a number, or the room for one, and what it means for those who do not see it.
function sign(text, meaning) {
  const node = element("span", { class: "sign", title: meaning }, text);
  if (text) node.append(element("span", { class: "unseen" }, ` ${meaning}`));
  return node;
}

const INTERVAL_WIDTH = 130;
const intervalPlace = (value, [low, high]) =>
  8 + ((value - low) / (high - low || 1)) * (INTERVAL_WIDTH - 16);

// The axis above the intervals, from the lowest to the highest bound.
function intervalAxis(scale) {
  const size = { width: INTERVAL_WIDTH, height: 18 };
  const label = `scale from ${number(scale[0])} to ${number(scale[1])}`;
  const drawing = svg("svg", { class: "chart", role: "img", "aria-label": label, ...size });
  scale.forEach((value, k) => {
    const x = intervalPlace(value, scale);
    drawing.append(svg("line", { x1: x, x2: x, y1: 13, y2: 18 }));
    const text = { x: k ? INTERVAL_WIDTH : 0, y: 10, "text-anchor": k ? "end" : "start" };
    drawing.append(svg("text", text, number(value)));
  });
  const [x1, x2] = scale.map((value) => intervalPlace(value, scale));
  drawing.append(svg("line", { x1, x2, y1: 17.5, y2: 17.5 }));
  return drawing;
}

function whisker(rank, scale) {
  const place = (value) => intervalPlace(value, scale);
  const label = `${number(rank.value)}, from ${number(rank.lower)} to ${number(rank.upper)}`;
  const drawing = svg("svg", {
    class: "chart",
    width: INTERVAL_WIDTH,
    height: 22,
    role: "img",
    "aria-label": label,
  });
  const y = 11;
  if (rank.lower !== null) {
    const [x1, x2] = [place(rank.lower), place(rank.upper)];
    drawing.append(svg("line", { x1, x2, y1: y, y2: y, "stroke-width": 2 }));
    for (const x of [x1, x2]) drawing.append(svg("line", { x1: x, x2: x, y1: y - 4, y2: y + 4 }));
  }
  drawing.append(svg("circle", { cx: place(rank.value), cy: y, r: 4 }));
  return drawing;
}

function showDifferences(metric) {
  const differences = metric.differences;
  const parts = [];
  if (differences.length) {
    parts.push(element("h3", {}, "Differences of pairs"));
    const list = data.baseline !== null || differences.length <= MAX_LISTED_PAIRS;
    parts.push(
      element(
        "p",
        { class: "note" },
        term("p-value", "p"),
        ` is the probability of a difference at least this large if the two systems were equally ${comparesOrder(metric) ? "close" : "good"}. Bold values are `,
        term("significant", "significant"),
        `: chance hardly explains the difference.${list ? "" : " Systems are numbered by rank."}`,
      ),
    );
    const box = element("div", {
      class: "scroll",
      role: "region",
      "aria-label": "Differences of pairs",
      tabindex: "0",
    });
    box.append(list ? differenceTable(differences) : differenceMatrix(metric));
    parts.push(box);
  }
  byId("differences").replaceChildren(...parts);
}

const pairCell = ({ a, b }) =>
  element("th", { scope: "row" }, nameOf(a), " – ", nameOf(b));

function differenceTable(differences) {
  const heads = [
    heading("pair", "left"),
    ...Object.entries({
      difference: "difference",
      p: "p-value",
      effect: "effect",
      "better/equal/worse": "better-equal-worse",
    }).map(([text, key]) => heading(term(key, breakable(text)))),
  ];
  return table(
    heads,
    differences.map((difference) => {
      const value = cell(signed(difference.difference));
      if (difference.lower !== null) {
        value.append(
          element("span", { class: "interval" }, `${signed(difference.lower)} to ${signed(difference.upper)}`),
        );
      }
      const effect =
        difference.effect === null ? "" : `${difference.effect < 0 ? "" : "+"}${difference.effect.toFixed(2)}`;
      return element(
        "tr",
        {},
        pairCell(difference),
        value,
        cell(formatP(difference), difference.better === null ? "" : "best"),
        cell(effect),
        cell(`${difference.wins}/${difference.ties}/${difference.losses}`),
      );
    }),
  );
}

function differenceMatrix(metric) {
  const names = metric.ranking.map((rank) => rank.system);
  const byPair = new Map(
    metric.differences.map((difference) => [JSON.stringify([difference.a, difference.b].sort()), difference]),
  );
  const heads = [heading("p", "left"), ...names.slice(1).map((_, k) => heading(`${k + 2}`))];
  return table(
    heads,
    names.map((name, k) => {
      const cells = names.slice(1).map((other, j) => {
        const difference = j + 1 > k && byPair.get(JSON.stringify([name, other].sort()));
        if (!difference) return cell("");
        const td = cell(formatP(difference), difference.better === null ? "quiet" : "best");
        td.title = `${labelOf(difference.a)} – ${labelOf(difference.b)}: ${signed(difference.difference)}, better/equal/worse in ${difference.wins}/${difference.ties}/${difference.losses}`;
        return td;
      });
      return element("tr", {}, nameCell(name, "", `${k + 1} `), ...cells);
    }),
    "matrix",
  );
}
