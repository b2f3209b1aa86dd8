// The metrics of a job: checkboxes, sets as quick choices, and a field for metrics with options.

import { button, element, option } from "./dom.js";

const GROUPS = { order: "Word order", edit: "Edit distances" };
const baseName = (spec) => spec.split(":", 1)[0];

// onChange() is called whenever the choice changes.
export function startMetricChoice(box, info, onChange) {
  const usual = new Map(info.default_metrics.map((spec) => [baseName(spec), spec]));
  const boxes = new Map(); // name → checkbox; its value is the metric as the server gets it

  // A metric of the default set has the options of that set.
  const specOf = (name) => usual.get(name) ?? name;

  function metricItem(metric) {
    const check = element("input", { type: "checkbox", value: specOf(metric.name) });
    check.checked = usual.has(metric.name);
    check.addEventListener("change", () => {
      check.value = specOf(metric.name);
      showSpec(check);
      onChange();
    });
    boxes.set(metric.name, check);
    const spec = element("span", {}, check.value);
    const arrow = metric.higher_is_better ? "↑" : "↓";
    const title = metric.higher_is_better ? "higher is better" : "lower is better";
    const label = element(
      "label",
      { class: "check" },
      check,
      element("span", {}, spec, ` ${arrow}`, element("span", { class: "unseen" }, ` ${title}`)),
    );
    const item = element("li", {}, label, element("p", {}, metric.about));
    if (metric.caution) item.append(element("p", { class: "note" }, metric.caution));
    return item;
  }

  // The name, with the options that a set gives it.
  function showSpec(check) {
    check.nextElementSibling.firstElementChild.textContent = check.value;
  }

  function choose(specs) {
    const chosen = new Map(specs.map((spec) => [baseName(spec), spec]));
    for (const [name, check] of boxes) {
      check.checked = chosen.has(name);
      check.value = chosen.get(name) ?? specOf(name);
      showSpec(check);
    }
    other.value = "";
    onChange();
  }

  const list = (metrics) => element("ul", { class: "metric-list" }, ...metrics.map(metricItem));

  // The metrics that are not in the default set, by kind.
  function moreMetrics() {
    const rest = info.metrics.filter((metric) => !usual.has(metric.name));
    const groupOf = ({ name }) =>
      Object.keys(GROUPS).find((key) => info.sets[key]?.some((spec) => baseName(spec) === name));
    const parts = [...Object.keys(GROUPS), undefined].flatMap((key) => {
      const metrics = rest.filter((metric) => groupOf(metric) === key);
      if (!metrics.length) return [];
      return [element("h4", {}, GROUPS[key] ?? "Words and order, and others"), list(metrics)];
    });
    return element(
      "details",
      {},
      element("summary", {}, `More metrics (${rest.length})`),
      ...parts,
    );
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
  other.addEventListener("input", onChange);
  const defaults = info.metrics.filter((metric) => usual.has(metric.name));
  box.append(
    element("div", { class: "actions" }, "Choose a set:", ...setButtons, none),
    list(defaults),
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

  return {
    // The metrics in the order of the page; those of the default set in its own order.
    specs() {
      const checked = [...boxes.values()]
        .filter((check) => check.checked)
        .map(({ value }) => value);
      const isUsual = (spec) => info.default_metrics.includes(spec);
      const ordered = [
        ...info.default_metrics.filter((spec) => checked.includes(spec)),
        ...checked.filter((spec) => !isUsual(spec)),
      ];
      return [...new Set([...ordered, ...other.value.split(/\s+/).filter(Boolean)])];
    },
    isDefault() {
      return this.specs().join(" ") === info.default_metrics.join(" ");
    },
  };
}

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
