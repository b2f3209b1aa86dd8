// Moves, compared between systems: in how many segments, of which kinds, and how far.

// The kinds whose segments are compared, with their headings.
const COMPARED_KINDS = {
  any: "segments with moves",
  word_early: "single words too early",
  word_late: "single words too late",
  group_early: "groups of words too early",
  group_late: "groups of words too late",
  far: `moves over ${FAR}+ words`,
};
const MORE = "▲";
const NOT_WRONG = "Another order is not always a wrong one.";

function showMoves() {
  const systems = ranked(metricNamed(data.metric));
  const needed = data.n === 1 ? "the segment" : `the ${count(data.n)} segments`;
  byId("moves-note").replaceChildren(
    `In how many of ${needed} words would have to `,
    term("move", "move"),
    ` to give the order of the reference. ${NOT_WRONG} Only `,
    term("linked", "linked"),
    " words can move: of a system with fewer of them, fewer moves are known.",
  );
  const heads = [
    heading("system", "left"),
    heading(term("linked", "linked")),
    ...Object.values(COMPARED_KINDS).map((text) => heading(text)),
  ];
  const rows = systems.map((system) => {
    const cells = Object.keys(COMPARED_KINDS).map((kind) =>
      labelled(shareCell(system.moves.kinds[kind]), COMPARED_KINDS[kind]),
    );
    const linked = labelled(cell(percent(system.moves.linked), fewLinked(system)), "linked");
    return element("tr", {}, nameCell(system.name, baselineNote(system.name)), linked, ...cells);
  });
  byId("move-table").replaceChildren(table(heads, rows, "card-table"));
  byId("move-signs").replaceChildren(...describeMoveSigns());
  const kinds = ["single words", "groups of words"].flatMap((what) =>
    ["early", "late"].map((when) => `${what} too ${when}`),
  );
  const distances = (system) => [...countMoves(system).distances];
  byId("moves-of-words").replaceChildren(
    countTable(systems, "Moves of words by kind", kinds, (system) => countMoves(system).kinds),
    spanTable(systems, "Moves of words by distance", distances, 1),
  );
}

const fewLinked = (system) => (system.moves.linked < data.enough ? "few" : "");

// The number of segments, their share, and what the test says of the difference.
function shareCell({ segments, difference, lower, upper, p, outcome }) {
  const signs = { more: sign(MORE, "significantly more"), fewer: sign(BELOW, "significantly fewer") };
  const td = cell(count(segments), "share");
  td.append(" ", element("span", { class: "half" }, percent(segments / data.n)));
  td.append(signs[outcome] ?? sign("", ""));
  if (p === null) return td;
  const test = element("span", { class: "interval" }, `${signed(difference)}, p ${formatP({ p })}`);
  if (lower !== null) td.title = `difference from ${signed(lower)} to ${signed(upper)} points`;
  td.append(test);
  return td;
}

// What the signs and the second line of cells mean; nothing where no system is compared.
function describeMoveSigns() {
  if (data.beside === null) return [];
  const outcomes = data.systems.flatMap(({ moves }) => Object.values(moves.kinds).map((k) => k.outcome));
  const signs = { more: `${MORE} significantly more`, fewer: `${BELOW} significantly fewer` };
  const found = Object.keys(signs).filter((outcome) => outcomes.includes(outcome));
  const said = found.map((outcome) => signs[outcome]).join(", ");
  return [
    said ? `${said} segments than with ` : "No certain difference from ",
    element("bdi", {}, labelOf(data.beside)),
    ` (${describeTest()}). Below each number: the difference in points and its `,
    term("p-value", "p"),
    "; each column is tested by itself.",
  ];
}

const moveCounts = new Map(); // by the name of the system

// The moves of words in all segments: by kind, and by distance.
function countMoves({ name, segments: { moves, punctuation } }) {
  if (moveCounts.has(name)) return moveCounts.get(name);
  const counts = { moves: 0, kinds: [0, 0, 0, 0], distances: new Map() };
  moves.forEach((ofSegment, k) => {
    const ofWords = ofSegment.length - punctuation[k];
    counts.moves += ofWords;
    for (const move of ofSegment.slice(0, ofWords)) {
      const distance = move[5];
      counts.kinds[(move[1] - move[0] > 1 ? 2 : 0) + move[2]]++;
      counts.distances.set(distance, (counts.distances.get(distance) || 0) + 1);
    }
  });
  moveCounts.set(name, counts);
  return counts;
}

// Counts of pairs of a length and its count, in bins of doubling size.
function spanTable(systems, title, pairsOf, least) {
  let low = least;
  const bins = [...SPANS, Infinity]
    .filter((high) => high >= least)
    .map((high) => {
      const bin = [low, high];
      low = high + 1;
      return bin;
    });
  const names = bins.map(([from, to]) => {
    if (to === Infinity) return `${from}+ words`;
    return from === to ? plural(from, "word") : `${from}–${to} words`;
  });
  return countTable(systems, title, names, (system) =>
    bins.map(([from, to]) =>
      pairsOf(system)
        .filter(([length]) => from <= length && length <= to)
        .reduce((sum, [, total]) => sum + total, 0),
    ),
  );
}

// A table of counts, or of rates if there are enough words for them.
function countTable(systems, title, names, countsOf) {
  const many = systems.every(({ profile }) => profile.words >= MANY_WORDS);
  const rows = systems.map((system) =>
    countsOf(system).map((total) => (many ? (1000 * total) / system.profile.words : total)),
  );
  const show = many ? (value) => decimal(value) : count;
  const caption = `${title}: number${many ? " per 1,000 linked words" : ""}`;
  return element(
    "div",
    { class: "scroll", role: "region", "aria-label": title, tabindex: "0" },
    heatTable(systems, names, rows, show, { caption }),
  );
}
