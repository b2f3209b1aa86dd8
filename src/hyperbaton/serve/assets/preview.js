// The first lines of all texts side by side, and whatever is wrong with them, in its place.

import { count, element, plural } from "./dom.js";

const EMPTY_ROWS = 3; // empty lines of a text that get a row of their own
const NAMED_TEXTS = 3; // texts with empty lines that are named near Start
const ROLES = { source: "source", reference: "reference", system: "system" };

// What is worth saying about a text; the number of lines is compared with that of the first text.
export function findingsOf(text, first) {
  const flags = [];
  if (text.problem) flags.push(text.problem);
  if (text.lines !== null && first && text.lines !== first.lines)
    flags.push(`${first.name} has ${plural(first.lines, "line")}`);
  if (text.empty.count) flags.push(describeEmpty(text.empty));
  return {
    name: text.name,
    label: text.label,
    summary: text.lines === null ? "" : plural(text.lines, "line"),
    flags,
    badLine: text.bad_line,
  };
}

function describeEmpty({ count: total, first }) {
  const more = total > first.length ? ", …" : "";
  const numbers = first.map(count).join(", ");
  return `${plural(total, "empty line")}: ${total === 1 ? "line" : "lines"} ${numbers}${more}`;
}

// One sentence about all texts with empty lines, or "".
export function emptyLinesNote(texts) {
  const found = texts.filter((text) => text.empty.count);
  const parts = found
    .slice(0, NAMED_TEXTS)
    .map(({ name, empty }) => `${name} has ${plural(empty.count, "empty line")}`);
  const more = found.length - parts.length;
  if (more > 0) parts.push(`${plural(more, "other text")} ${more === 1 ? "has" : "have"} some, too`);
  return parts.length ? `Note: ${parts.join("; ")}.` : "";
}

// The text whose number of lines is the right one until shown otherwise: the first reference.
export function firstText(texts) {
  const readable = texts.filter((text) => text.lines !== null && !text.problem);
  return readable.find((text) => text.role === "reference") ?? readable[0];
}

export function previewTable(texts) {
  const order = Object.keys(ROLES);
  const columns = [...texts].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
  const first = firstText(texts);
  const heads = columns.map((text) => headCell(text, findingsOf(text, first)));
  const table = element("table", { class: "preview" });
  const corner = element("th", { scope: "col" }, element("span", { class: "role" }, "line"));
  table.append(
    element("caption", { class: "unseen" }, "The first lines of all texts"),
    element("thead", {}, element("tr", {}, corner, ...heads)),
    element("tbody", {}, ...rowsOf(columns)),
  );
  const about = {
    class: "scroll preview-area",
    role: "region",
    "aria-label": "Preview of the texts",
    tabindex: 0,
  };
  return element("div", about, table);
}

function headCell(text, { summary, flags }) {
  return element(
    "th",
    { scope: "col" },
    element("bdi", { class: "name" }, text.name),
    element("span", { class: "role" }, [ROLES[text.role], summary].filter(Boolean).join(", ")),
    ...flags.map((flag) => element("span", { class: "flag" }, flag)),
  );
}

// The first lines, then the lines further on that are empty or cannot be read.
function rowsOf(texts) {
  const height = Math.max(...texts.map((text) => text.first.length));
  const rows = Array.from({ length: height }, (_, k) => lineRow(texts, k + 1));
  const later = new Set();
  for (const { empty, bad_line: bad } of texts) {
    for (const number of empty.first.slice(0, EMPTY_ROWS)) later.add(number);
    if (bad) later.add(bad.number);
  }
  let last = height;
  for (const number of [...later].filter((n) => n > height).sort((a, b) => a - b)) {
    if (number > last + 1) rows.push(gapRow(texts.length));
    rows.push(lineRow(texts, number));
    last = number;
  }
  const longest = Math.max(...texts.map((text) => text.lines ?? 0));
  if (longest > last) rows.push(gapRow(texts.length));
  return rows;
}

const gapRow = (width) =>
  element("tr", { class: "gap" }, element("td", { colspan: width + 1 }, "⋮"));

function lineRow(texts, number) {
  const head = element("th", { scope: "row" }, count(number));
  return element("tr", {}, head, ...texts.map((text) => lineCell(text, number)));
}

function lineCell(text, number) {
  const cell = element("td", { "data-label": text.name });
  const mark = (words) => {
    cell.classList.add("flagged");
    cell.append(element("span", { class: "missing" }, words));
  };
  const line = text.first[number - 1];
  if (text.bad_line?.number === number) {
    cell.append(element("div", { class: "text", dir: "auto" }, text.bad_line.text));
    mark("cannot be read");
  } else if (text.empty.first.includes(number)) mark("empty line");
  else if (text.lines !== null && number > text.lines) mark("no line");
  else if (line === undefined) cell.append(element("span", { class: "quiet" }, "…"));
  else cell.append(element("div", { class: "text", dir: "auto" }, line));
  return cell;
}
