// The metrics of a job, on one line. It opens to checkboxes, sets as quick choices, and a field for
// metrics with options.

import { button, count, element, option, plural } from "./dom.js";

const GROUPS = { order: "Word order", edit: "Edit distances" };
const MAX_NAMED = 8; // metrics that the line names; of more, it gives the number
const baseName = (spec) => spec.split(":", 1)[0];
const optionsOf = (spec) => new Map((spec.match(/[^:,]+=[^,]*/g) ?? []).map((o) => o.split("=")));

// onChange() is called whenever the choice changes.
export function startMetricChoice(box, info, onChange) {
  const boxes = new Map(); // metric with its options, as the server gets it → checkbox
  const isUsual = (spec) => info.default_metrics.includes(spec);

  // A metric that sets use with different options has an entry for each of them.
  function entriesOf(metric) {
    const ofSets = Object.values(info.sets).flat();
    const specs = [metric.name, ...ofSets.filter((spec) => baseName(spec) === metric.name)];
    const different = [...new Set(specs)];
    const options = new Set(different.flatMap((spec) => [...optionsOf(spec).keys()]));
    return different.map((spec) => ({ spec, metric, options: [...options] }));
  }

  function metricItem({ spec, metric, options }) {
    const check = element("input", { type: "checkbox", value: spec });
    check.checked = isUsual(spec);
    check.addEventListener("change", changed);
    boxes.set(spec, check);
    const arrow = metric.higher_is_better ? "↑" : "↓";
    const title = metric.higher_is_better ? "higher is better" : "lower is better";
    const label = element(
      "label",
      { class: "check" },
      check,
      element("span", {}, `${spec} ${arrow}`, element("span", { class: "unseen" }, ` ${title}`)),
    );
    const item = element("li", {}, label, element("p", {}, metric.about));
    // Entries of the same metric differ in these options.
    const chosen = optionsOf(spec);
    const about = options.map((name) => {
      const { meaning, default: usual } = metric.options[name];
      return `${name}=${chosen.get(name) ?? usual}: ${meaning}`;
    });
    for (const text of [...about, metric.caution].filter(Boolean))
      item.append(element("p", { class: "note" }, text));
    return item;
  }

  function choose(specs) {
    for (const [spec, check] of boxes) check.checked = specs.includes(spec);
    other.value = "";
    changed();
  }

  const list = (entries) => element("ul", { class: "metric-list" }, ...entries.map(metricItem));
  const entries = info.metrics.flatMap(entriesOf);
  const rest = entries.filter(({ spec }) => !isUsual(spec));
  const moreSummary = element("summary", {});
  const chosenLine = box.querySelector("#chosen-metrics");

  // The metrics that are not in the default set, by kind.
  function moreMetrics() {
    const groupOf = ({ metric: { name } }) =>
      Object.keys(GROUPS).find((key) => info.sets[key]?.some((spec) => baseName(spec) === name));
    const parts = [...Object.keys(GROUPS), undefined].flatMap((key) => {
      const members = rest.filter((entry) => groupOf(entry) === key);
      if (!members.length) return [];
      return [element("h4", {}, GROUPS[key] ?? "Words and order, and others"), list(members)];
    });
    return element("details", {}, moreSummary, ...parts);
  }

  // The list is folded: its heading says whether some of its metrics are chosen.
  function showCounts() {
    const chosen = rest.filter(({ spec }) => boxes.get(spec).checked).length;
    const parts = [count(rest.length), ...(chosen ? [`${count(chosen)} chosen`] : [])];
    moreSummary.textContent = `More metrics (${parts.join(", ")})`;
  }

  // The line that is always visible.
  function showChosen() {
    const specs = choice.specs();
    const names = specs.length > MAX_NAMED ? plural(specs.length, "metric") : specs.join(", ");
    const kind = choice.isDefault() ? " (the default set)" : "";
    chosenLine.textContent = `${names || "none"}${kind}`;
  }

  function changed() {
    showCounts();
    showChosen();
    onChange();
  }

  // What may stand after the colon of a metric.
  function optionHelp() {
    const select = element("select", { "aria-label": "Metric whose options are listed" });
    select.append(...info.metrics.map(({ name }) => option(name, name)));
    const area = {
      class: "scroll",
      role: "region",
      "aria-label": "Options of the metric",
      tabindex: 0,
    };
    const rows = element("div", area);
    const show = () =>
      rows.replaceChildren(optionTable(info.metrics.find((m) => m.name === select.value)));
    select.addEventListener("change", show);
    show();
    return element("details", {}, element("summary", {}, "Options of the metrics"), select, rows);
  }

  const setButtons = Object.entries(info.sets).map(([name, specs]) =>
    button(name, () => choose(specs), { "aria-label": `${name}: choose this set` }),
  );
  const none = button("none", () => choose([]), { "aria-label": "none: choose no metric" });
  const other = element("input", {
    id: "other-metrics",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "pef:bp=off full:order=ulam",
    "aria-describedby": "other-metrics-note",
  });
  other.addEventListener("input", changed);
  box.querySelector("fieldset").append(
    element("div", { class: "actions" }, "Choose a set:", ...setButtons, none),
    list(entries.filter(({ spec }) => isUsual(spec))),
    moreMetrics(),
    element(
      "p",
      { class: "field" },
      element("label", { for: "other-metrics" }, "Metrics with other options"),
      other,
    ),
    element(
      "p",
      { class: "note", id: "other-metrics-note" },
      "Write name:option=value,option=value. Separate several metrics by spaces. Options that name files or parsers are refused here.",
    ),
    optionHelp(),
  );

  const choice = {
    // The metrics in the order of the page; those of the default set in its own order.
    specs() {
      const checked = [...boxes].filter(([, check]) => check.checked).map(([spec]) => spec);
      const ordered = [
        ...info.default_metrics.filter((spec) => checked.includes(spec)),
        ...checked.filter((spec) => !isUsual(spec)),
      ];
      return [...new Set([...ordered, ...splitMetrics(other.value)])];
    },
    isDefault() {
      return this.specs().join(" ") === info.default_metrics.join(" ");
    },
  };
  showCounts();
  showChosen();
  return choice;
}

// People separate metrics by commas or semicolons as well; within a metric, a comma separates options.
const splitMetrics = (text) =>
  text
    .split(/\s+/)
    .map((part) => part.replace(/^[,;]+|[,;]+$/g, ""))
    .filter(Boolean);

// A list of values that can be broken after its signs, but not within a value.
const breakable = (text) => text.split(/(?<=[|+])/).flatMap((part) => [part, element("wbr", {})]);

function optionTable(metric) {
  const rows = Object.entries(metric.options).map(([name, { values, meaning, default: usual }]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("code", {}, name)),
      element("td", {}, usual === null ? "" : String(usual)),
      element("td", {}, element("code", {}, ...breakable(values))),
      element("td", {}, meaning),
    ),
  );
  const heads = ["option", "default", "values", "meaning"];
  const cells = heads.map((text) => element("th", { scope: "col" }, text));
  return element(
    "table",
    { class: "option-table" },
    element("caption", {}, metric.name),
    element("thead", {}, element("tr", {}, ...cells)),
    element("tbody", {}, ...rows),
  );
}
