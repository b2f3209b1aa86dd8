// Distributions of values, values by length and by share of linked words, and reorderings.

const SPANS = [2, 4, 8, 16, 32]; // the last length of each bin; one more bin is open
const MANY_WORDS = 10000; // from here on, counts are given per 1,000 words
const MANY_IN_ONE_BAR = 20; // segments; beside such a bar, a bar of one segment cannot be seen
const BARS = { width: 230, height: 72, left: 34, top: 16, foot: 28 };

function showSpread() {
  const metric = metricNamed(state.metric);
  const histograms = ranked(metric).map((system) => system.scores[metric.name].histogram);
  const most = Math.max(1, ...histograms.flat());
  const axis = { most, log: most >= MANY_IN_ONE_BAR && most > data.n / 2 };
  const bins = plural(metric.edges.length - 1, "range");
  byId("spread-note").replaceChildren(
    `How many segments have which ${metric.name}, in ${bins} of values. The `,
    term("quartiles", "middle half"),
    " of the segments has values in the given range. All systems have the same scale",
    axis.log ? "; it is logarithmic, so small bars can be seen." : ".",
    metric.range[1] === null ? " The last bar counts all larger values." : "",
  );
  byId("histograms").replaceChildren(
    ...ranked(metric).map((system, k) => histogramFigure(system, metric, histograms[k], axis)),
  );
  const darker = several() ? "Cells of a stronger colour are ahead of others in their column." : "";
  for (const node of document.querySelectorAll(".heat-note")) node.textContent = darker;
  const lengthHeads = data.lengths.map(([low, high]) =>
    high === null ? `${low}+ words` : `${low || 1}–${high} words`,
  );
  const shareHeads = data.shares.map(([low, high]) => {
    if (low === null) return "none";
    return low ? `over ${100 * low} to ${100 * high} %` : `up to ${100 * high} %`;
  });
  byId("by-length").replaceChildren(binned(metric, lengthHeads, "by_length", "lengths"));
  byId("by-share").replaceChildren(binned(metric, shareHeads, "by_share", "shares"));
}

function histogramFigure(system, metric, histogram, axis) {
  const [low, , high] = system.scores[metric.name].quartiles.map((value) => number(value));
  const caption = element("figcaption", {}, element("b", {}, nameOf(system.name)));
  const best = bestPossible(metric);
  const perfect = system.segments.values[metric.name].filter((value) => value === best).length;
  const missing = data.n - histogram.reduce((sum, bin) => sum + bin, 0);
  const facts = [];
  if (missing < data.n) facts.push(`middle half: ${low} to ${high}`);
  if (missing < data.n && best !== null) facts.push(`best value ${100 * best}: ${count(perfect)}`);
  if (missing) facts.push(`not scored: ${count(missing)}`);
  caption.append(facts.join("; "));
  return element("figure", {}, caption, bars(histogram, metric, system.label, axis));
}

// The heights of the ticks of an axis from 0 to most.
function axisTicks({ most, log }) {
  if (!log) return [0, most];
  return [0, 1, 10, 100, 1000, 10000].filter((tick) => tick <= most);
}

function bars(counts, { name: metric, edges }, system, axis) {
  const { width, height, left, top, foot } = BARS;
  const scale = axis.log ? (value) => Math.log1p(value) : (value) => value;
  const high = (value) => (scale(value) / scale(axis.most)) * height;
  const shown = edges.map((edge) => +(100 * edge).toFixed(8));
  const [first, last] = [shown[0], shown.at(-1)];
  const label = `Distribution of ${system}: ${counts.join(", ")} segments in bins from ${first} to ${last}`;
  const size = { width: left + width, height: top + height + foot };
  const view = { ...size, viewBox: `0 0 ${size.width} ${size.height}` };
  const drawing = svg("svg", { class: "chart", role: "img", "aria-label": label, ...view });
  const text = (x, y, anchor, words) =>
    drawing.append(svg("text", { x, y, "text-anchor": anchor }, words));
  const floor = top + height;
  const each = width / counts.length;
  counts.forEach((value, k) => {
    const tall = value && Math.max(1, high(value));
    const at = { x: left + k * each + 0.5, y: floor - tall, width: each - 1, height: tall };
    const bar = svg("rect", at);
    const range = k + 1 < edges.length ? `${shown[k]}–${shown[k + 1]}` : `over ${shown[k]}`;
    bar.append(svg("title", {}, `${range}: ${plural(value, "segment")}`));
    drawing.append(bar);
  });
  drawing.append(svg("line", { x1: left, x2: left + width, y1: floor, y2: floor }));
  drawing.append(svg("line", { x1: left, x2: left, y1: top, y2: floor }));
  for (const tick of axisTicks(axis)) {
    const y = floor - high(tick);
    drawing.append(svg("line", { x1: left - 3, x2: left, y1: y, y2: y }));
    text(left - 5, y + 4, "end", count(tick));
  }
  text(0, top - 6, "start", axis.log ? "segments (log scale)" : "segments");
  const end = left + ((edges.length - 1) / counts.length) * width;
  text(left, floor + 12, "start", `${first}`);
  text(end, floor + 12, "end", `${last}`);
  text(left + width / 2, floor + 24, "middle", `${metric} of a segment`);
  return drawing;
}

function binned(metric, names, key, countsKey) {
  const systems = ranked(metric);
  const rows = systems.map((system) => system.scores[metric.name][key]);
  const totals = systems.map((system) => system[countsKey]);
  const used = names.map((_, k) => totals.some((counts) => counts[k] > 0));
  const only = (values) => values.filter((_, k) => used[k]);
  const same = totals.every((counts) => String(counts) === String(totals[0]));
  const heads = names.map((name, k) =>
    same ? element("span", {}, name, small(totals[0][k])) : name,
  );
  return heatTable(
    systems,
    only(heads),
    rows.map(only),
    (value) => number(value),
    { totals: same ? null : totals.map(only), largestIsDark: metric.higher_is_better },
  );
}

const small = (total) => element("span", { class: "interval" }, plural(total, "segment"));

// Rows of numbers, tinted from one end of each column to the other; totals are the numbers of
// segments.
function heatTable(systems, names, rows, show, options) {
  const { totals = null, largestIsDark = true, caption = "" } = options;
  const ends = names.map((_, j) => {
    const values = rows.map((row) => row[j]).filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return largestIsDark ? [low, high] : [high, low];
  });
  const heads = [heading("system", "left"), ...names.map((text) => heading(text))];
  return table(
    heads,
    systems.map((system, k) => {
      const cells = rows[k].map((value, j) => {
        const td = cell(show(value), value === null ? "quiet" : "tinted");
        const [pale, dark] = ends[j];
        const share = dark === pale ? 0 : (0.32 * (value - pale)) / (dark - pale);
        if (value !== null) td.style.setProperty("--share", share);
        if (totals) td.append(small(totals[k][j]));
        return td;
      });
      return element("tr", {}, nameCell(system.name), ...cells);
    }),
    "heat",
    caption,
  );
}

// Reorderings

function showProfile() {
  const systems = ranked(metricNamed(state.metric));
  const heads = [
    heading("system", "left"),
    heading(term("move", "moves of words")),
    heading(term("in-order", "in order")),
    heading(term("only-swaps", "only swaps")),
    heading(term("reordering", "reorderings per 100 words")),
    heading(term("span", "mean span")),
    heading(term("without-links", "without a link")),
  ];
  const rows = systems.map((system) => {
    const { name, profile } = system;
    return element(
      "tr",
      {},
      nameCell(name),
      cell(count(countMoves(system).moves)),
      cell(percent(profile.monotone)),
      cell(percent(profile.binarizable)),
      cell(profile.words ? decimal((100 * profile.reorderings) / profile.words) : "–"),
      cell(decimal(profile.mean_span)),
      cell(count(profile.without_links)),
    );
  });
  byId("profile").replaceChildren(table(heads, rows));
  const darker = several() ? "Below, cells of a stronger colour have larger numbers in their column." : "";
  document.querySelector(".count-note").textContent = darker;
  const operators = systems[0].profile.operators.slice(1).map(({ operator }, k) => {
    const title = operator ? `⟨${operator.join(",")}⟩` : "Longer operators";
    const spans = ({ profile }) => profile.operators[k + 1].spans;
    return spanTable(systems, `${title} by span`, spans, operator ? operator.length : 5);
  });
  byId("operator-spans").replaceChildren(...operators);
}
