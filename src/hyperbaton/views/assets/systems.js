// The summary, and tables of systems: scores and comparisons.

const MAX_LISTED_PAIRS = 6; // more pairs are shown as a matrix of p-values, as in the terminal
const MAX_PRINTED_METRICS = 7; // columns that fit on a page of paper
const NAME_COLUMN = "name";
const SHARE_COLUMNS = ["linked", "matched"];
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

function showSummary() {
  const metric = metricNamed(state.metric);
  byId("verdict").replaceChildren(...data.word_order.sentences.map((text) => element("p", {}, text)));
  const closeness = comparesOrder(metric);
  const direction = metric.higher_is_better ? "higher" : "lower";
  const parts = [`By ${metric.name}; ${direction} is ${closeness ? "closer" : "better"}.`];
  if (several()) parts.push(` The ${closeness ? "closest" : "best"} system comes first.`);
  const clusters = metric.ranking.map((rank) => rank.cluster).filter((cluster) => cluster !== null);
  if (new Set(clusters).size > 1) {
    if (closeness) {
      parts.push(" Systems above a line are closer to the order of the reference than the next one.");
    } else {
      parts.push(" Systems above a line are ", term("significant", "significantly"));
      parts.push(" better than those below it.");
    }
  }
  byId("order-about").replaceChildren(...parts);
  const about = `${metric.name}: ${metric.about}. ${metric.caution}`;
  byId("metric-about").replaceChildren(...withTerms(about, METRIC_TERMS));
}

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
  const sorted = (state.table || metricColumn(state.metric)).replace(/^-/, "") === key;
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

function showSystems() {
  const metric = metricNamed(state.metric);
  const clustered = metric.ranking.some((rank) => rank.cluster !== null);
  const shares = SHARE_COLUMNS.filter((key) => data.systems.some((system) => system[key] !== null));
  const intervals = metric.ranking.some((rank) => rank.lower !== null);
  const bounds = metric.ranking
    .filter((rank) => rank.value !== null)
    .flatMap((rank) => [rank.lower ?? rank.value, rank.upper ?? rank.value]);
  const scale = [Math.min(...bounds), Math.max(...bounds)];
  const metricHeading = (listed, kind = "") =>
    sortHeading(metricColumn(listed.name), `${listed.name} ${arrow(listed)}`, {
      ascending: !listed.higher_is_better,
      kind,
    });
  const heads = [
    sortHeading(NAME_COLUMN, "system", { ascending: true, kind: "left" }),
    metricHeading(metric, "chosen"),
  ];
  if (intervals) {
    heads.push(heading(term("interval", "interval"), "whisker"));
    heads.at(-1).append(intervalAxis(scale));
  }
  if (clustered) {
    heads.push(heading(term("rank", "rank")), heading(term("cluster", "cluster")));
  }
  heads.push(...shares.map((key) => sortHeading(key, key, { kind: "whole", about: key })));
  const others = data.metrics.filter((listed) => listed !== metric);
  heads.push(...others.map((listed) => metricHeading(listed)));

  const ranks = new Map(metric.ranking.map((rank) => [rank.system, rank]));
  const best = new Map(data.metrics.map((listed) => [listed.name, bestValue(listed)]));
  let lastCluster = null;
  const rows = ranked(metric)
    .sort(tableSorts()[state.table])
    .map((system) => {
      const rank = ranks.get(system.name);
      const tr = element("tr", {});
      const apart = lastCluster !== null && rank.cluster !== null && rank.cluster !== lastCluster;
      if (apart && !state.table) tr.className = "apart";
      lastCluster = rank.cluster;
      const baseline = system.name === data.baseline ? " (baseline)" : "";
      tr.append(nameCell(system.name + baseline), scoreCell(system, metric, best, "chosen"));
      if (intervals) {
        const drawn = rank.value === null ? "–" : whisker(rank, scale);
        tr.append(element("td", { class: "whisker" }, drawn));
      }
      if (clustered) {
        const places = rank.first === rank.last ? `${rank.first ?? "–"}` : `${rank.first}–${rank.last}`;
        tr.append(labelled(cell(places), "rank"), labelled(cell(`${rank.cluster ?? "–"}`), "cluster"));
      }
      for (const key of shares) {
        const few = key === "linked" ? system.linked < data.enough : isNotScored(system);
        tr.append(labelled(cell(percent(system[key]), few ? "few" : ""), key));
      }
      tr.append(...others.map((listed) => scoreCell(system, listed, best)));
      return tr;
    });
  byId("system-table").replaceChildren(table(heads, rows, "system-table"));
  layOutSystems();
  showDifferences(metric);
}

const NARROW = matchMedia("(max-width: 700px)");
const PRINT = matchMedia("print");

// Where the table would be too wide, each system is a card whose cells show their labels.
function layOutSystems() {
  const cards = PRINT.matches ? data.metrics.length > MAX_PRINTED_METRICS : NARROW.matches;
  document.querySelector(".system-table").classList.toggle("cards", cards);
}

function labelled(td, label) {
  td.dataset.label = label;
  return td;
}

const isNotScored = (system) => Object.values(system.scores).some((score) => score.not_scored !== null);

function scoreCell(system, metric, best, kind = "") {
  const { value, lower, upper, may_win: mayWin } = system.scores[metric.name];
  const isBest = mayWin && best.get(metric.name) === number(value);
  const kinds = `${kind} ${isBest ? "best" : ""}`.trim();
  const td = labelled(cell(number(value), kinds), `${metric.name} ${arrow(metric)}`);
  if (lower !== null) {
    td.append(element("span", { class: "interval" }, `[${number(lower)}, ${number(upper)}]`));
  }
  return td;
}

// The best value that may be marked, rounded, or null if there is none or all of them look the same.
function bestValue(metric) {
  const values = data.systems
    .map((system) => system.scores[metric.name])
    .filter((score) => score.may_win)
    .map((score) => score.value);
  const best = number((metric.higher_is_better ? Math.max : Math.min)(...values));
  return values.every((value) => number(value) === best) ? null : best;
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
    drawing.append(svg("text", text, number(value, 2)));
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
    parts.push(element("h3", {}, "Could the differences be due to chance?"));
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
      const value = cell(number(difference.difference));
      if (difference.lower !== null) {
        value.append(
          element("span", { class: "interval" }, `[${number(difference.lower)}, ${number(difference.upper)}]`),
        );
      }
      const effect =
        difference.effect === null ? "" : `${difference.effect < 0 ? "" : "+"}${difference.effect.toFixed(2)}`;
      return element(
        "tr",
        {},
        nameCell(`${difference.a} – ${difference.b}`),
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
        td.title = `${difference.a} – ${difference.b}: ${number(difference.difference)}, better/equal/worse in ${difference.wins}/${difference.ties}/${difference.losses}`;
        return td;
      });
      return element("tr", {}, nameCell(`${k + 1} ${name}`), ...cells);
    }),
    "matrix",
  );
}
