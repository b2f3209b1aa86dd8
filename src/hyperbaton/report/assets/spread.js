// Distributions of values, values by length and by share of aligned words, and reorderings.

function showSpread() {
  const metric = metricNamed(state.metric);
  byId("spread-note").textContent =
    `${metric.name} of each segment, in ${metric.edges.length - 1} bins; each system has its own vertical scale${metric.range[1] === null ? ", and the last bar counts all larger values" : ""}.`;
  byId("histograms").replaceChildren(
    ...ranked(metric).map((system) => {
      const { histogram, quartiles } = system.scores[metric.name];
      const [low, median, high] = quartiles.map((value) => number(value, 2));
      const caption = element("figcaption", {}, element("b", {}, element("bdi", {}, system.name)));
      caption.append(`median ${median}, middle half ${low} to ${high}`);
      return element("figure", {}, bars(histogram, metric.edges, system.name), caption);
    }),
  );
  const { lengths, shares } = data;
  const lengthHeads = lengths.map(([low, high]) =>
    high === null ? `${low}+ words` : `${low || 1}–${high}`,
  );
  const shareHeads = shares.map(([low, high]) =>
    low === null ? "none" : `${low ? "over " : ""}${100 * low}–${100 * high} %`,
  );
  byId("by-length").replaceChildren(binned(metric, lengthHeads, "by_length", "lengths"));
  byId("by-share").replaceChildren(binned(metric, shareHeads, "by_share", "shares"));
}

const ranked = (metric) => metric.ranking.map((rank) => data.systems[systemNamed(rank.system)]);

function bars(counts, edges, name) {
  const most = Math.max(1, ...counts);
  const [width, height, foot] = [230, 64, 14];
  const label = `Distribution of ${name}: ${counts.join(", ")} segments in bins from ${edges[0]} to ${edges[edges.length - 1]}`;
  const size = { width, height: height + foot, viewBox: `0 0 ${width} ${height + foot}` };
  const drawing = svg("svg", { class: "chart", role: "img", "aria-label": label, ...size });
  const each = width / counts.length;
  counts.forEach((value, k) => {
    const high = value && Math.max(1, (value / most) * height);
    const bar = svg("rect", { x: k * each + 0.5, y: height - high, width: each - 1, height: high });
    const to = k + 1 < edges.length ? `${edges[k]}–${edges[k + 1]}` : `over ${edges[k]}`;
    bar.append(svg("title", {}, `${to}: ${plural(value, "segment")}`));
    drawing.append(bar);
  });
  drawing.append(svg("line", { x1: 0, x2: width, y1: height, y2: height }));
  const end = ((edges.length - 1) / counts.length) * width;
  drawing.append(svg("text", { x: 0, y: height + foot - 2 }, `${edges[0]}`));
  drawing.append(
    svg(
      "text",
      { x: end, y: height + foot - 2, "text-anchor": "end" },
      `${edges[edges.length - 1]}`,
    ),
  );
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
    same ? null : totals.map(only),
  );
}

const small = (total) => element("span", { class: "interval" }, `n = ${count(total)}`);

// Rows of numbers, tinted from the smallest to the largest of each column; totals are the numbers of
// segments.
function heatTable(systems, names, rows, show, totals = null, caption = "") {
  const ends = names.map((_, j) => {
    const values = rows.map((row) => row[j]).filter((value) => value !== null);
    return [Math.min(...values), Math.max(...values)];
  });
  const heads = [heading("system", "left"), ...names.map((text) => heading(text))];
  return table(
    heads,
    systems.map((system, k) => {
      const cells = rows[k].map((value, j) => {
        const td = cell(show(value), value === null ? "quiet" : "tinted");
        const [low, high] = ends[j];
        const share = high > low ? (0.32 * (value - low)) / (high - low) : 0;
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
  const heads = [
    "system",
    "in order",
    "only swaps",
    "reorderings / 100 words",
    "mean span",
    "mean move",
    "without a link",
  ];
  const rows = data.systems.map(({ name, profile }) =>
    element(
      "tr",
      {},
      nameCell(name),
      cell(percent(profile.monotone)),
      cell(percent(profile.binarizable)),
      cell(profile.words ? number((100 * profile.reorderings) / profile.words, 1) : "–"),
      cell(number(profile.mean_span, 1)),
      cell(number(profile.mean_move, 1)),
      cell(count(profile.without_links)),
    ),
  );
  byId("profile").replaceChildren(
    table(
      heads.map((text, k) => heading(text, k ? "" : "left")),
      rows,
    ),
  );
  const kinds = data.systems[0].profile.operators
    .slice(1)
    .map(({ operator }, k) => [
      `${operator ? `⟨${operator.join(",")}⟩` : "longer operators"}, by span`,
      (profile) => profile.operators[k + 1].spans,
      2,
      operator ? operator.length : 5,
    ]);
  kinds.push(["Moved blocks, by distance in words", (profile) => profile.moves, 1, 1]);
  byId("profile-spans").replaceChildren(
    ...kinds.map(([title, pairsOf, first, least]) => spanTable(title, pairsOf, first, least)),
  );
}

// Counts per 10,000 aligned words, in bins of doubling size.
function spanTable(title, pairsOf, first, least) {
  let from = first;
  const bins = [...SPANS, Infinity]
    .map((to) => {
      const bin = [from, to];
      from = to + 1;
      return bin;
    })
    .filter(([, to]) => to >= least);
  bins[0] = [Math.max(bins[0][0], least), bins[0][1]];
  const names = bins.map(([low, high]) =>
    high === Infinity ? `${low}+` : low === high ? `${low}` : `${low}–${high}`,
  );
  const rows = data.systems.map(({ profile }) =>
    bins.map(([low, high]) => {
      const inBin = pairsOf(profile).filter(([length]) => low <= length && length <= high);
      const total = inBin.reduce((sum, [, value]) => sum + value, 0);
      return profile.words ? (10000 * total) / profile.words : null;
    }),
  );
  const show = (value) => number(value, value !== null && value < 10 ? 1 : 0);
  const counts = heatTable(
    data.systems,
    names,
    rows,
    show,
    null,
    `${title}; per 10,000 aligned words`,
  );
  return element(
    "div",
    { class: "scroll", role: "region", "aria-label": title, tabindex: "0" },
    counts,
  );
}
