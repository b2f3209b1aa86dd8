// Examples: segments in which two systems differ most, and those of each system to look at first.

function segmentLink(segment, system, other, text) {
  const sort = other < 0 ? "worst" : "difference";
  const target = { ...defaults(), metric: state.metric, system, other, sort, segment: segment - 1 };
  return element("a", { href: hashOf(target) }, text);
}

const DIFFERENCE_CHOICE =
  "Segments with larger differences, more linked words and longer moves come first.";
const LOSS_CHOICE =
  "Segments that are further from the best value, have more linked words and longer moves come first.";
// Of metrics that compare systems by the words that both share with the reference.
const ANCHORED_DIFFERENCE_CHOICE =
  "Segments come first in which more of the words that both systems share with the reference have other neighbours in one of them.";
const ANCHORED_LOSS_CHOICE =
  "Segments come first in which more matched words have other neighbours than in the reference.";

function showExamples() {
  const metric = metricNamed(state.metric);
  const enough = `At least ${percent(data.enough)} of their words are linked.`;
  const anchored = Object.hasOwn(data.systems[0].segments.anchors, metric.name);
  const parts = [];
  if (metric.separating?.segments.length) {
    const { a, b, segments } = metric.separating;
    const names = [a, b].map(nameOf);
    const title = ["Where ", names[0], " and ", names[1], ` differ most on ${metric.name}`];
    parts.push(
      element("h3", {}, ...title),
      element(
        "p",
        { class: "note" },
        anchored ? ANCHORED_DIFFERENCE_CHOICE : `${enough} ${DIFFERENCE_CHOICE}`,
      ),
      exampleList(segments, [a, b].map(systemNamed)),
    );
  }
  byId("separating").replaceChildren(...parts);
  const whose = several() ? " of each system" : "";
  byId("worst-title").textContent = `Segments${whose} to look at first by ${metric.name}`;
  byId("worst-note").textContent = anchored ? ANCHORED_LOSS_CHOICE : `${enough} ${LOSS_CHOICE}`;
  const only = data.systems[0].scores[metric.name].worst;
  byId("worst").replaceChildren(several() ? worstTable(metric) : exampleList(only, [0]));
}

// Segments with their texts, and links to them.
function exampleList(examples, systems) {
  const [system, other = -1] = systems;
  const items = examples.map(({ segment }) => {
    const link = segmentLink(segment, system, other, `segment ${count(segment)}`);
    const lines = segmentLines(segment - 1, systems);
    return element(
      "li",
      { class: "example" },
      element("div", {}, link),
      element("div", {}, ...lines),
    );
  });
  return element("ol", { class: "list" }, ...items);
}

function worstTable(metric) {
  const rows = ranked(metric).map((system) => {
    const links = system.scores[metric.name].worst.map(({ segment, value }) => {
      const link = segmentLink(segment, systemNamed(system.name), -1, count(segment));
      return element("td", {}, link, element("span", { class: "interval" }, number(value)));
    });
    return element("tr", {}, nameCell(system.name), ...links);
  });
  const columns = Math.max(...rows.map((row) => row.children.length)) - 1;
  const heads = [heading("system", "left")];
  if (columns) {
    const span = { scope: "colgroup", colspan: columns, class: "left" };
    heads.push(element("th", span, `segments and their ${metric.name}`));
  }
  return table(heads, rows);
}
