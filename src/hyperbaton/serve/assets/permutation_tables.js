// What the operators of a tree mean, and the values of the measures.

import { element } from "./dom.js";

const DIGITS = 4; // as hyperbaton permutation prints them

export function operatorEntries(operators) {
  if (!operators.length) {
    return [element("dd", {}, "A single word has no operator: there is nothing to reorder.")];
  }
  return operators.flatMap((entry) => [
    element("dt", {}, `${entry.operator}, ${entry.places}`),
    element("dd", {}, entry.meaning),
    element("dd", { class: "example" }, ...exampleOf(entry)),
  ]);
}

// The parts of a node as they are and, if they are not in order, as they should be.
function exampleOf({ parts, in_order: inOrder }) {
  const shown = ["Here: ", ...row(parts)];
  if (parts.join("\n") === inOrder.join("\n")) return shown;
  return [...shown, " → ", ...row(inOrder)];
}

const row = (parts) =>
  parts.flatMap((part, k) => [...(k ? [" "] : []), element("bdi", {}, part)]);

export function measureRow({ name, value, about }) {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    element("td", { class: "hb-number" }, value === null ? "–" : value.toFixed(DIGITS)),
    element("td", { class: "hb-note" }, about),
  );
}
