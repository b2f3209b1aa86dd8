// Files with columns: which column is a system, a reference or the source.

import { element, option } from "./dom.js";

const ROLES = { "": "not used", system: "system", reference: "reference", source: "source" };
const USUAL_NAMES = {
  reference: /^(ref|reference|target|tgt|human)/i,
  source: /^(src|source)/i,
  system: /^(mt|hyp|sys|translation|output|pred)/i,
};

// The column that a file most likely has for a role; a column that is not used yet, if possible.
export function guessColumn(columns, role, used) {
  const free = columns.filter((column) => !used.has(column));
  const usual = free.find((column) => USUAL_NAMES[role].test(column));
  const others = ({ [role]: _, ...rest }) => Object.values(rest);
  const isOther = (column) => others(USUAL_NAMES).some((pattern) => pattern.test(column));
  return usual ?? free.find((column) => !isOther(column)) ?? free[0] ?? columns[0];
}

// Headings that leave no doubt, such as src, reference and ref_2.
const CERTAIN_NAMES = {
  source: /^(src|source)$/i,
  reference: /^(ref|reference)[ _-]?\d*$/i,
};

// The roles that headings give away, as pairs of a column and a role. What is neither a source nor a
// reference is a system if it is the only such column: otherwise, only the user can know.
export function certainRoles(columns) {
  const roleOf = (column) =>
    Object.keys(CERTAIN_NAMES).find((role) => CERTAIN_NAMES[role].test(column));
  const rest = columns.filter((column) => !roleOf(column));
  return columns
    .map((column) => [column, roleOf(column) ?? (rest.length === 1 ? "system" : undefined)])
    .filter(([, role]) => role);
}

// A list of the columns of a file, each with its role. choose(column, role) changes one.
export function columnRoles(file, roleOf, choose) {
  const items = file.columns.map((column) => {
    const select = element("select", { "aria-label": `Use column ${column} of ${file.name} as` });
    const entries = Object.entries(ROLES);
    select.append(...entries.map(([role, text]) => option(role, text, role === roleOf(column))));
    select.addEventListener("change", () => choose(column, select.value));
    return element("li", {}, element("label", {}, element("bdi", {}, column), select));
  });
  const heading = element("h3", {}, "Columns of ", element("bdi", {}, file.name));
  const note = element(
    "p",
    { class: "note" },
    "Say what each column is. Several columns may be systems or references.",
  );
  return element(
    "section",
    { class: "columns", "aria-label": `Columns of ${file.name}` },
    heading,
    note,
    element("ul", {}, ...items),
  );
}
