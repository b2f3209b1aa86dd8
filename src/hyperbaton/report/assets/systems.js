// Tables and charts of systems: scores, comparisons and examples.

const MAX_LISTED_PAIRS = 6; // more pairs are shown as a matrix of p-values, as in the terminal

function showAbout() {
  const parts = [plural(data.systems.length, "system"), plural(data.n, "segment")];
  byId("about").textContent = parts.join(", ");
  byId("about").after(...data.notes.map((note) => element("p", { class: "caution" }, note)));
  const items = data.metrics.map((metric) => element("li", {}, metric.signature));
  if (data.sampling) {
    const { method, samples, seed, level } = data.sampling;
    const correction = data.correction === "none" ? "" : `; correction: ${data.correction}`;
    const uncertainty =
      method === "bootstrap"
        ? `${+(100 * level).toFixed(8)} % intervals`
        : `significance at ${+(1 - level).toFixed(8)}`;
    items.unshift(
      element("li", {}, `${uncertainty}: ${method}, ${count(samples)} samples, seed ${seed}${correction}`),
    );
  }
  byId("signatures").replaceChildren(...items, element("li", {}, `Hyperbaton ${data.hyperbaton}`));
}

function showSystems() {
  const metric = metricNamed(state.metric);
  byId("metric-about").textContent =
    `${metric.name}: ${metric.about}; ${metric.higher_is_better ? "higher" : "lower"} is better. ${metric.caution}`;
  const ranks = new Map(metric.ranking.map((rank, k) => [rank.system, { ...rank, place: k }]));
  const clustered = metric.ranking[0].cluster !== null;
  const sort = state.tableSort || { key: "metric", reverse: false };
  const value = (system, name) => system.scores[name].value;
  const keys = {
    name: (a, b) => (a.name < b.name ? -1 : 1),
    aligned: (a, b) => b.aligned - a.aligned,
    metric: (a, b) => ranks.get(a.name).place - ranks.get(b.name).place,
  };
  for (const { name, higher_is_better } of data.metrics) {
    keys[`metric ${name}`] = (a, b) =>
      (higher_is_better ? -1 : 1) * (value(a, name) - value(b, name));
  }
  const systems = [...data.systems].sort(keys[sort.key]);
  if (sort.reverse) systems.reverse();
  const errorRates = data.metrics
    .filter((listed) => !listed.higher_is_better)
    .map((listed) => listed.name);
  const ascending = (key) =>
    key === "name" || errorRates.some((name) => key === `metric ${name}`);
  const head = (key, text, kind = "") => {
    const sorted =
      key === sort.key || (sort.key === "metric" && key === `metric ${state.metric}`);
    const th = element("th", { scope: "col", class: kind });
    if (sorted) {
      th.setAttribute("aria-sort", ascending(key) !== sort.reverse ? "ascending" : "descending");
    }
    th.append(
      button(text, () => {
        state.tableSort = { key, reverse: sorted && !sort.reverse };
        showSystems();
        byId("system-table").querySelector("th[aria-sort] button")?.focus();
      }),
    );
    return th;
  };
  const aligned = data.systems.some((system) => system.aligned !== null);
  const heads = [head("name", "system", "left")];
  if (clustered) heads.unshift(heading("cluster"));
  if (clustered) heads.push(heading("rank"));
  if (aligned) heads.push(head("aligned", "aligned"));
  const bounds = metric.ranking.flatMap((rank) => [
    rank.lower ?? rank.value,
    rank.upper ?? rank.value,
  ]);
  const scale = [Math.min(...bounds), Math.max(...bounds)];
  const intervals = metric.ranking.some((rank) => rank.lower !== null);
  if (intervals) heads.push(heading(`${metric.name}, interval`, "left"));
  for (const listed of data.metrics) {
    const chosen = listed === metric ? "chosen" : "";
    heads.push(head(`metric ${listed.name}`, `${listed.name} ${arrow(listed)}`, chosen));
  }
  const bests = new Map(data.metrics.map((listed) => [listed.name, bestValue(listed)]));
  const byRank = sort.key === "metric" && !sort.reverse;
  let lastCluster = null;
  const rows = systems.map((system) => {
    const rank = ranks.get(system.name);
    const tr = element("tr", {});
    if (byRank && lastCluster !== null && rank.cluster !== lastCluster) tr.className = "apart";
    lastCluster = rank.cluster;
    if (clustered) tr.append(cell(`${rank.cluster}`));
    tr.append(
      nameCell(system.name === data.baseline ? `${system.name} (baseline)` : system.name),
    );
    if (clustered)
      tr.append(cell(rank.first === rank.last ? `${rank.first}` : `${rank.first}–${rank.last}`));
    if (aligned) tr.append(cell(number(system.aligned, 2), system.aligned < data.enough ? "few" : ""));
    if (intervals) tr.append(element("td", {}, whisker(rank, scale)));
    for (const listed of data.metrics) {
      const score = system.scores[listed.name];
      const kinds = [
        listed === metric ? "chosen" : "",
        bests.get(listed.name) === number(score.value) ? "best" : "",
      ];
      const td = cell(number(score.value), kinds.join(" ").trim());
      if (score.lower !== null) {
        td.append(
          element(
            "span",
            { class: "interval" },
            `[${number(score.lower)}, ${number(score.upper)}]`,
          ),
        );
      }
      tr.append(td);
    }
    return tr;
  });
  byId("system-table").replaceChildren(table(heads, rows, "system-table"));
  showDifferences(metric);
}

// The best value of a metric, rounded, or null if all systems have the same rounded value.
function bestValue(metric) {
  const values = data.systems.map((system) => system.scores[metric.name].value);
  const best = number((metric.higher_is_better ? Math.max : Math.min)(...values));
  return values.every((value) => number(value) === best) ? null : best;
}

function whisker(rank, [low, high]) {
  const width = 110;
  const place = (value) => 8 + ((value - low) / (high - low || 1)) * (width - 16);
  const label = `${number(rank.value)}, from ${number(rank.lower)} to ${number(rank.upper)}`;
  const drawing = svg("svg", {
    class: "chart",
    width,
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
    parts.push(element("h3", {}, "Significance of differences"));
    const list = data.baseline !== null || differences.length <= MAX_LISTED_PAIRS;
    parts.push(
      element(
        "p",
        { class: "note" },
        list
          ? "p is the probability of a difference at least this large if the systems were equal; significant values are bold. Effect: mean divided by standard deviation of the segments’ differences."
          : "p is the probability of a difference at least this large if the two systems were equal; significant values are bold. Systems are numbered by rank.",
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
    ...["difference", "p", "effect", "better/equal/worse"].map((text) => heading(text)),
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
        cell(formatP(difference.p), difference.better === null ? "" : "best"),
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
        const td = cell(formatP(difference.p), difference.better === null ? "quiet" : "best");
        td.title = `${difference.a} – ${difference.b}: ${number(difference.difference)}, better/equal/worse in ${difference.wins}/${difference.ties}/${difference.losses}`;
        return td;
      });
      return element("tr", {}, nameCell(`${k + 1} ${name}`), ...cells);
    }),
    "matrix",
  );
}

// Examples

function segmentLink(segment, system, other, text) {
  const sort = other < 0 ? "worst" : "difference";
  const filters = { aligned: 100 * data.enough, from: null, to: null, search: "" };
  const target = { metric: state.metric, system, other, segment: segment - 1, sort, ...filters };
  return element("a", { href: hashOf(target) }, text);
}

function showExamples() {
  const metric = metricNamed(state.metric);
  const parts = [
    element(
      "p",
      { class: "note" },
      `Among segments with at least ${percent(data.enough)} of their words aligned.`,
    ),
  ];
  if (metric.separating && metric.separating.segments.length) {
    const { a, b, segments } = metric.separating;
    const title = element(
      "h3",
      {},
      "Where ",
      element("bdi", {}, a),
      " and ",
      element("bdi", {}, b),
      ` differ most by ${metric.name}`,
    );
    const items = segments.map(({ segment, values }) => {
      const link = segmentLink(
        segment,
        systemNamed(a),
        systemNamed(b),
        `segment ${count(segment)}`,
      );
      const text = element("span", { dir: "auto" }, plain(data.references[segment - 1][0]));
      return element("li", {}, link, ` (${number(values[0])} and ${number(values[1])}): `, text);
    });
    parts.push(title, element("ul", {}, ...items));
  }
  parts.push(element("h3", {}, `Worst segments of each system by ${metric.name}`));
  byId("separating").replaceChildren(...parts);
  const rows = ranked(metric).map((system) => {
    const links = system.scores[metric.name].worst.map(({ segment, value }) => {
      const link = segmentLink(segment, systemNamed(system.name), -1, count(segment));
      return element("td", {}, link, element("span", { class: "interval" }, number(value)));
    });
    return element("tr", {}, nameCell(system.name), ...links);
  });
  const heads = [
    heading("system", "left"),
    element(
      "th",
      { scope: "colgroup", colspan: rows[0].children.length - 1, class: "left" },
      "segments and their values",
    ),
  ];
  byId("worst").replaceChildren(table(heads, rows));
}
