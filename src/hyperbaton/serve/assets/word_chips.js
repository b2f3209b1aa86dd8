// A row of words that can be dragged, or moved with the arrow keys.

import { element, visible } from "./dom.js";

const STEADY = 4; // pixels that a pointer may move before a press becomes a drag

// onMove(values) is called whenever the order changes, announce(text) when a key has changed it.
export function startChips(list, onMove, announce) {
  let dragged = null; // {chip, x, y, moves}

  const chips = () => [...list.querySelectorAll("button")];
  const value = (chip) => Number(chip.dataset.value);
  const values = () => chips().map(value);
  const isBackwards = () => getComputedStyle(list).direction === "rtl";

  // wordOf(value) is the word of a value, or undefined.
  function show(order, wordOf) {
    const known = new Map(chips().map((chip) => [value(chip), chip]));
    const nodes = order.map((number) => known.get(number) ?? makeChip(number));
    nodes.forEach((chip, index) => {
      const word = wordOf(value(chip));
      chip.querySelector(".word").textContent = word === undefined ? value(chip) : visible(word);
      chip.querySelector(".number").hidden = word === undefined;
      place(chip, index);
    });
    while (list.children.length > nodes.length) list.lastChild.remove();
    const focused = nodes.find((chip) => chip === document.activeElement);
    makeTabStop(focused ?? nodes[0]);
    label();
  }

  // Moves a chip within the list, which would take the focus away from it.
  function place(chip, index) {
    const item = chip.parentElement;
    if (list.children[index] === item) return;
    const focused = document.activeElement === chip;
    const others = [...list.children].filter((other) => other !== item);
    list.insertBefore(item, others[index] ?? null);
    if (focused) chip.focus();
  }

  function label() {
    const all = chips();
    all.forEach((chip, index) => {
      chip.querySelector(".unseen").textContent = `, position ${index + 1} of ${all.length}`;
    });
  }

  function move(chip, index) {
    place(chip, index);
    label();
    onMove(values());
  }

  function makeTabStop(stop) {
    for (const chip of chips()) chip.tabIndex = chip === stop ? 0 : -1;
  }

  function choose(chip) {
    makeTabStop(chip);
    chip.focus();
  }

  list.addEventListener("keydown", (event) => {
    const chip = event.target.closest("button");
    if (!chip || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = chips();
    const index = all.indexOf(chip);
    const forward = isBackwards() ? -1 : 1;
    const wanted = {
      ArrowLeft: index - forward,
      ArrowRight: index + forward,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    const neighbour = all[index + { ArrowUp: -1, ArrowDown: 1 }[event.key]];
    if (neighbour) choose(neighbour);
    else if (wanted in all && wanted !== index) {
      move(chip, wanted);
      announce(`${chip.querySelector(".word").textContent}: position ${wanted + 1} of ${all.length}`);
    }
    if (wanted !== undefined || event.key in { ArrowUp: 0, ArrowDown: 0 }) event.preventDefault();
  });

  list.addEventListener("pointerdown", (event) => {
    const chip = event.target.closest("button");
    if (!chip || event.button !== 0) return;
    event.preventDefault(); // no selection of text
    choose(chip);
    dragged = { chip, x: event.clientX, y: event.clientY, moves: false };
    // The list, since a chip that moves within it would lose the pointer.
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { chip, x, y } = dragged;
    dragged.moves ||= Math.hypot(event.clientX - x, event.clientY - y) > STEADY;
    if (!dragged.moves) return;
    chip.classList.add("dragged");
    const index = indexAt(event.clientX, event.clientY, chip);
    if (index !== null && index !== chips().indexOf(chip)) move(chip, index);
  });
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
    list.addEventListener(kind, () => {
      dragged?.chip.classList.remove("dragged");
      dragged = null;
    });
  }

  // Where a chip would go if it were dropped at a point; null beside all others. Only passing the
  // middle of another chip changes the order, so that chips of different widths do not flicker.
  function indexAt(x, y, chip) {
    const others = chips().filter((other) => other !== chip);
    const over = others.findIndex((other) => {
      const { left, right, top, bottom } = other.getBoundingClientRect();
      return left <= x && x <= right && top <= y && y <= bottom;
    });
    if (over < 0) return null;
    const { left, right } = others[over].getBoundingClientRect();
    return over + (x > (left + right) / 2 !== isBackwards() ? 1 : 0);
  }

  return { show };
}

function makeChip(value) {
  const chip = element(
    "button",
    { type: "button", tabindex: "-1", "data-value": value, "aria-describedby": "permutation-help" },
    element("span", { class: "word" }),
    " ", // between a word and its number for screen readers
    element("span", { class: "number" }, String(value)),
    element("span", { class: "unseen" }),
  );
  element("li", {}, chip);
  return chip;
}
