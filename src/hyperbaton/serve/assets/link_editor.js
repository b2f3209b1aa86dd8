// Editing links: a reader chooses a word on each side, by mouse in the drawing, or by mouse or
// keyboard in two rows of buttons.

import { element } from "./dom.js";

const NEAR = 6; // pixels around a word of the drawing in which a click still means it

// `rows` are the elements for the words of the translation and of the reference, `figures` is the
// element that contains the drawing, and onToggle(h, r) is called for two words that were chosen.
export function startLinkEditor(rows, figures, onToggle) {
  let words = [[], []];
  let links = [];
  let chosen = null; // {side, index} of the word that waits for one on the other side
  let drawn = [[], []]; // the words of the drawing

  function choose(side, index) {
    if (chosen && chosen.side !== side) {
      const [h, r] = side ? [chosen.index, index] : [index, chosen.index];
      chosen = null;
      onToggle(h, r);
    } else {
      chosen = chosen?.index === index ? null : { side, index };
    }
    mark();
  }

  const partners = (side, index) =>
    links.filter((link) => link[side] === index).map((link) => link[1 - side]);
  const isChosen = (side, index) => chosen?.side === side && chosen.index === index;
  const isPartner = (side, index) =>
    chosen !== null && chosen.side !== side && partners(side, index).includes(chosen.index);

  function mark() {
    rows.forEach((row, side) => {
      [...row.children].forEach((button, index) => {
        const linked = partners(side, index).map((other) => words[1 - side][other]);
        const state = linked.length ? `linked with ${linked.join(", ")}` : "no link";
        button.setAttribute("aria-label", `${words[side][index]}: ${state}`);
        button.setAttribute("aria-pressed", isChosen(side, index));
        button.classList.toggle("unlinked", !linked.length);
        button.classList.toggle("partner", isPartner(side, index));
      });
      drawn[side].forEach((node, index) => {
        node.classList.toggle("chosen", isChosen(side, index));
        node.classList.toggle("partner", isPartner(side, index));
      });
    });
  }

  function show(newWords, newLinks) {
    const changed = [0, 1].some((side) => words[side].join(" ") !== newWords[side].join(" "));
    if (changed) chosen = null;
    [words, links] = [newWords, newLinks];
    rows.forEach((row, side) => fillRow(row, words[side]));
    drawn = drawnWords(figures, words, links.length > 0);
    mark();
  }

  rows.forEach((row, side) => {
    row.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      makeTabStop(button);
      choose(side, [...row.children].indexOf(button));
    });
    row.addEventListener("keydown", (event) => {
      const next = wordForKey(event, rows, side);
      if (event.key === "Escape") {
        chosen = null;
        mark();
      } else if (next) {
        event.preventDefault();
        makeTabStop(next);
        next.focus();
      }
    });
  });
  figures.addEventListener("click", (event) => {
    const found = wordAt(drawn, event.clientX, event.clientY);
    if (found) choose(...found);
  });
  return { show };
}

// Reuses the buttons, so that the focus stays where it is.
function fillRow(row, words) {
  while (row.children.length > words.length) row.lastChild.remove();
  while (row.children.length < words.length) {
    row.append(element("button", { type: "button", tabindex: "-1" }));
  }
  words.forEach((word, index) => {
    if (row.children[index].textContent !== word) row.children[index].textContent = word;
  });
  if (row.firstChild && !row.querySelector('[tabindex="0"]')) row.firstChild.tabIndex = 0;
}

// Each row is a single stop of the Tab key; arrow keys move within it.
function makeTabStop(button) {
  for (const other of button.parentElement.children) other.tabIndex = other === button ? 0 : -1;
}

function wordForKey({ key, target }, rows, side) {
  const row = rows[side];
  const backwards = getComputedStyle(row).direction === "rtl";
  const steps = { ArrowLeft: backwards ? 1 : -1, ArrowRight: backwards ? -1 : 1 };
  const index = [...row.children].indexOf(target);
  if (key in steps) return row.children[index + steps[key]];
  if (key === "Home") return row.firstChild;
  if (key === "End") return row.lastChild;
  if (key === "ArrowUp" || key === "ArrowDown") {
    return rows[key === "ArrowUp" ? 0 : 1].querySelector('[tabindex="0"]');
  }
  return null;
}

// The words of the drawing, in its order: those of the translation, a caption, those of the
// reference. A message comes first if there are no links, and replaces words that there are not.
function drawnWords(figures, words, hasLinks) {
  const texts = [...figures.querySelectorAll("svg > g > g > text")];
  let start = hasLinks ? 0 : 1;
  return words.map((side) => {
    const nodes = texts.slice(start, start + side.length);
    for (const node of nodes) node.classList.add("link-word");
    start += Math.max(1, side.length) + 1;
    return nodes;
  });
}

// The side and the index of the word nearest to a point, if it is near.
function wordAt(drawn, x, y) {
  let [best, distance] = [null, NEAR];
  drawn.forEach((nodes, side) => {
    nodes.forEach((node, index) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      const away = Math.max(left - x, x - right, top - y, y - bottom, 0);
      if (away < distance) [best, distance] = [[side, index], away];
    });
  });
  return best;
}
