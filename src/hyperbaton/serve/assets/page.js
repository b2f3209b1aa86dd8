// The page: which view is shown. The address says it: #view, or #view?state of the view.

import { loadInfo } from "./api.js";
import { button } from "./dom.js";

const TITLES = {
  compare: "Compare",
  explain: "Explain",
  permutation: "Permutation",
  jobs: "Jobs",
};
const FIRST = "compare";

const started = new Map(); // view → promise of its module; a view starts when it is first shown
let info = null;
let shown = ""; // the name of the visible view

const sectionOf = (view) => document.getElementById(`view-${view}`);

function readAddress() {
  const [, name, query] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
  return { view: Object.hasOwn(TITLES, name) ? name : FIRST, query };
}

async function startView(view) {
  const module = await import(`./${view}.js`);
  await module.start(sectionOf(view), info);
  return module;
}

function showError(error) {
  const retry = button("Try again", open);
  document.getElementById("page-error").replaceChildren(`${error.message} `, retry);
}

async function open() {
  try {
    info ??= await loadInfo();
    document.getElementById("page-error").replaceChildren();
    await follow();
  } catch (error) {
    showError(error);
  }
}

async function follow() {
  const { view, query } = readAddress();
  if (!started.has(view)) started.set(view, startView(view));
  let module;
  try {
    module = await started.get(view);
  } catch (error) {
    started.delete(view);
    throw error;
  }
  if (view !== readAddress().view) return; // the reader has gone on meanwhile
  const isNew = view !== shown;
  const isFirst = !shown;
  if (isNew) showView(view); // not earlier: all that is visible must work
  await module.show(query);
  // Readers who use the keyboard or a screen reader go on from the top of the new view.
  if (isNew && !isFirst) focusHeading(view);
}

function showView(view) {
  shown = view;
  for (const name of Object.keys(TITLES)) sectionOf(name).hidden = name !== view;
  for (const link of document.querySelectorAll("nav.bar a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[view]} – Hyperbaton`;
}

function focusHeading(view) {
  const heading = [...sectionOf(view).querySelectorAll("h2")].find((node) =>
    node.checkVisibility(),
  );
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address holds the view, not a place within the page
  document.getElementById("main").focus();
});
addEventListener("hashchange", open);
// A file that is dropped beside a drop zone must not replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
open();
