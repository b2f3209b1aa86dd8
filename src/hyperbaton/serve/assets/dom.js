// Elements and the wording of numbers, for all views. Data is only inserted as text nodes.

export const count = (value) => value.toLocaleString("en-US");
export const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function button(name, act, attributes = {}) {
  const node = element("button", { type: "button", ...attributes }, name);
  node.addEventListener("click", act);
  return node;
}

export function option(value, text, selected = false) {
  const node = element("option", { value }, text);
  node.selected = selected;
  return node;
}

// Characters that are not seen, or that change the writing direction, become signs, as on the server:
// hyperbaton.text.display.visible. Joiners and the visible format characters stay.
export function visible(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => {
    if (/[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/u.test(c)) return c;
    if (c < " ") return String.fromCodePoint(0x2400 + c.codePointAt(0));
    if (c === "\x7f") return "␡";
    return /[\p{Cf}\p{Zl}\p{Zp}]/u.test(c) ? "◦" : "□";
  });
}

// The parts of a sentence of a verdict. Names that run from right to left are isolated from what
// surrounds them.
export const sentenceParts = (text) =>
  text
    .split(/\u2068(.*?)\u2069/)
    .map((part, k) => (k % 2 ? element("bdi", {}, part) : part))
    .filter(Boolean);

// Calls act when nothing has happened for a while.
export function debounce(act, milliseconds) {
  let waiting = 0;
  return (...values) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => act(...values), milliseconds);
  };
}

export function formatBytes(bytes) {
  if (bytes < 1000) return plural(bytes, "byte");
  const [unit, size] = bytes < 1e6 ? ["KB", bytes / 1e3] : ["MB", bytes / 1e6];
  return `${size < 10 ? size.toFixed(1) : count(Math.round(size))}\u00a0${unit}`;
}

export function formatSeconds(seconds) {
  if (seconds < 1) return "less than a second";
  const whole = Math.round(seconds);
  if (whole < 60) return plural(whole, "second");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
