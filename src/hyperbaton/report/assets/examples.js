// Examples: segments in which two systems differ most, and the worst segments of each system.

function segmentLink(segment, system, other, text) {
  const sort = other < 0 ? "worst" : "difference";
  const target = { ...defaults(), metric: state.metric, system, other, sort, segment: segment - 1 };
  return element("a", { href: hashOf(target) }, text);
}

function showExamples() {
  const metric = metricNamed(state.metric);
  const choice = `At least ${percent(data.enough)} of their words are aligned. Segments with larger losses, more aligned words and longer moves come first.`;
  const parts = [];
  if (metric.separating?.segments.length) {
    const { a, b, segments } = metric.separating;
    const names = [a, b].map((name) => element("bdi", {}, name));
    parts.push(
      element("h3", {}, "Where ", names[0], " and ", names[1], ` differ most by ${metric.name}`),
      element("p", { class: "note" }, choice.replace("losses", "differences")),
      element("ol", { class: "list" }, ...segments.map((example) => exampleItem(example, a, b))),
    );
  }
  byId("separating").replaceChildren(...parts);
  byId("worst-title").textContent = `Worst segments of each system by ${metric.name}`;
  byId("worst-note").textContent = choice;
  byId("worst").replaceChildren(worstTable(metric));
}

function exampleItem({ segment }, a, b) {
  const systems = [a, b].map(systemNamed);
  const link = segmentLink(segment, ...systems, `segment ${count(segment)}`);
  const lines = segmentLines(segment - 1, systems);
  return element(
    "li",
    { class: "example" },
    element("div", {}, link),
    element("div", {}, ...lines),
  );
}

function worstTable(metric) {
  const rows = ranked(metric).map((system) => {
    const links = system.scores[metric.name].worst.map(({ segment, value }) => {
      const link = segmentLink(segment, systemNamed(system.name), -1, count(segment));
      return element("td", {}, link, element("span", { class: "interval" }, number(value, 2)));
    });
    return element("tr", {}, nameCell(system.name), ...links);
  });
  const columns = Math.max(...rows.map((row) => row.children.length)) - 1;
  const heads = [heading("system", "left")];
  if (columns) {
    const span = { scope: "colgroup", colspan: columns, class: "left" };
    heads.push(element("th", span, "segments and their values"));
  }
  return table(heads, rows);
}
