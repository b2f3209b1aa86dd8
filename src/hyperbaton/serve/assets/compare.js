// The Compare view: the form of a job, with a preview before anything is computed.

import { request } from "./api.js";
import { debounce, element, option, plural } from "./dom.js";
import { startInputs } from "./inputs.js";
import { startLanguageChoice } from "./language_choice.js";
import { startMetricChoice } from "./metric_choice.js";
import { emptyLinesNote, findingsOf, firstText, previewTable } from "./preview.js";

const PAUSE = 250; // milliseconds between the last change and the preview
const LONGER_PAUSE = 3000; // before a server that did not answer is asked again
const AGAIN = "The server no longer has the texts. They are uploaded again.";
const TITLE_AT_MOST = 200; // characters
const COMPARING = ["baseline", "method", "correction"]; // settings that need two systems

export function start(section, info) {
  const find = (id) => section.querySelector(`#${id}`);
  const state = {
    preview: null, // the server's last answer
    previewed: "", // the texts it is about
    isStarting: false,
    isRestored: false, // whether lost texts were uploaded again since the last preview
    started: "", // the texts of the last job
    hasExampleLanguage: false, // whether the language is that of the example
  };

  const inputs = startInputs(section, info, textsChanged);
  const languageAt = (id, changed) =>
    startLanguageChoice(find(id), find(`${id}-error`), info, changed);
  const language = languageAt("language", () => {
    state.hasExampleLanguage = false;
    formChanged();
  });
  const sourceLanguage = languageAt("source-language", formChanged);
  const metrics = startMetricChoice(find("metrics"), info, formChanged);
  startStatistics();

  function startStatistics() {
    const { methods, corrections, samples, seed, level } = info.statistics;
    find("method").append(...methods.map((name) => option(name, name)));
    find("correction").append(...corrections.map((name) => option(name, name)));
    Object.entries({ samples, seed, level }).forEach(([id, value]) => (find(id).value = value));
    find("title").maxLength = TITLE_AT_MOST;
    find("statistics").addEventListener("input", formChanged);
    showBaselines([]);
  }

  // An error is about the form as it was.
  function formChanged() {
    showError("");
    showReadiness();
  }

  function showError(message) {
    find("start-error").textContent = message;
  }

  // Texts and preview

  const askForPreview = debounce(updatePreview, PAUSE);

  function textsChanged() {
    find("use-example").hidden = find("texts-note").hidden = !inputs.isEmpty();
    find("remove-all").hidden = inputs.isEmpty();
    find("preview").classList.add("old");
    find("drop-error").textContent = "";
    formChanged();
    askForPreview();
  }

  const currentTexts = () => JSON.stringify(inputs.toRequest());

  async function updatePreview() {
    const texts = inputs.toRequest();
    const asked = currentTexts();
    if (asked === state.previewed) return showPreview();
    let answer = null;
    try {
      if (texts.systems.length || texts.references.length || texts.source)
        answer = await request("POST", "/api/preview", texts);
      state.isRestored = false;
    } catch (error) {
      answer = { ready: false, problems: [error.message], texts: [] };
      if (error.status === 404 && !state.isRestored) {
        try {
          await restoreTexts();
          state.isRestored = true;
          return; // restoring changes the texts: asked again
        } catch (failure) {
          answer.problems = [failure.message];
        }
      }
      if (!error.status) setTimeout(askForPreview, LONGER_PAUSE);
    }
    if (asked !== currentTexts()) return; // changed meanwhile: asked again
    // An error is not kept: the next change asks again.
    state.previewed = answer && !answer.texts.length ? "" : asked;
    state.preview = answer;
    showPreview();
  }

  function restoreTexts() {
    find("start-reason").textContent = AGAIN;
    return inputs.restore();
  }

  function showPreview() {
    const texts = state.preview?.texts ?? [];
    const problems = state.preview?.problems ?? [];
    const box = find("preview");
    box.classList.remove("old");
    box.replaceChildren(...(texts.length ? [previewTable(texts)] : []));
    const status = find("preview-status");
    status.classList.toggle("error", problems.length > 0);
    status.replaceChildren(...describePreview(texts, problems));
    const first = firstText(texts);
    for (const role of ["system", "reference", "source"]) {
      const found = texts.filter((text) => text.role === role);
      inputs.cards(role).forEach((card, k) => {
        if (found[k]) card.showFindings(findingsOf(found[k], first));
      });
    }
    showBaselines(texts.filter((text) => text.role === "system"));
    find("align-source-part").hidden = !texts.some((text) => text.role === "source");
    find("start-note").textContent = emptyLinesNote(texts);
    showReadiness();
  }

  function describePreview(texts, problems) {
    if (problems.length) return problems.map((text) => element("span", { class: "flag" }, text));
    if (!texts.length) return ["The first lines of your texts will be shown here."];
    const lines = firstText(texts)?.lines;
    return [lines ? `All texts have ${plural(lines, "line")}.` : ""];
  }

  function showBaselines(systems) {
    const select = find("baseline");
    const { value } = select;
    select.replaceChildren(
      option("", "none: compare every pair"),
      ...systems.map(({ name, label }) => option(name, label, name === value)),
    );
    // There is nothing to compare a single system with.
    for (const id of COMPARING) find(id).disabled = systems.length === 1;
  }

  // Starting a job

  const alignsSource = () => !find("align-source-part").hidden && find("align-source").checked;
  const isFresh = () => state.previewed === currentTexts();

  // Why the job cannot start, or "".
  function missing() {
    if (inputs.isEmpty()) return "Add at least one system and one reference.";
    const waiting = inputs.waitsFor();
    if (waiting) return waiting;
    const { systems, references } = inputs.toRequest();
    if (!systems.length) return "Add at least one system.";
    if (!references.length) return "Add at least one reference.";
    if (!isFresh()) return state.preview?.problems[0] ?? "The texts are being read.";
    if (!state.preview.ready) return state.preview.problems[0] ?? "The texts cannot be compared.";
    if (language.code() === undefined) return "The language is unknown.";
    if (alignsSource() && sourceLanguage.code() === undefined)
      return "The language of the source is unknown.";
    if (!metrics.specs().length) return "Choose at least one metric.";
    const invalid = ["samples", "seed", "level"].find(
      (id) => !find(id).checkValidity() || !find(id).value,
    );
    if (invalid)
      return `The field “${find(invalid).labels[0].firstChild.data.trim()}” is not valid.`;
    return "";
  }

  function showReadiness() {
    const reason = missing();
    find("start").disabled = Boolean(reason) || state.isStarting;
    const ready = state.isStarting ? "Starting…" : "Ready.";
    const status = find("start-error").textContent ? "" : reason || ready;
    // A status line is read aloud whenever it is written: only when it changes.
    if (find("start-reason").textContent !== status) find("start-reason").textContent = status;
  }

  // The request of a job; what is as the server would choose it is left out.
  function jobRequest() {
    const job = inputs.toRequest();
    const usual = info.statistics;
    const add = (key, value, isUsual) => {
      if (!isUsual) job[key] = value;
    };
    add("language", language.code(), language.code() === null);
    add("metrics", metrics.specs(), metrics.isDefault());
    const [method] = usual.methods;
    const [correction] = usual.corrections;
    for (const [id, value] of Object.entries({ method, correction, baseline: "" })) {
      add(id, find(id).value, find(id).disabled || find(id).value === value);
    }
    for (const key of ["samples", "seed", "level"]) {
      const value = find(key).valueAsNumber;
      add(key, value, value === usual[key]);
    }
    add("title", find("title").value.trim(), !find("title").value.trim());
    add("align_source", true, !alignsSource());
    add("source_language", sourceLanguage.code(), !alignsSource() || !sourceLanguage.code());
    return job;
  }

  async function startJob() {
    state.isStarting = true;
    formChanged();
    try {
      const { id } = await sendJob();
      state.started = currentTexts();
      location.hash = `#jobs?id=${encodeURIComponent(id)}`;
    } catch (error) {
      showError(error.message);
    }
    state.isStarting = false;
    showReadiness();
  }

  async function sendJob() {
    const send = () => request("POST", "/api/jobs", jobRequest());
    try {
      return await send();
    } catch (error) {
      if (error.status !== 404) throw error;
      if (!(await restoreTexts())) throw new Error(inputs.waitsFor());
      return send();
    }
  }

  async function useExample() {
    try {
      const example = await request("POST", "/api/example");
      inputs.useExample(example);
      language.choose(example.language);
      state.hasExampleLanguage = true;
      find("settings-heading").focus(); // the button is gone
    } catch (error) {
      showError(error.message);
      showReadiness();
    }
  }

  function removeAll() {
    inputs.clear();
    if (state.hasExampleLanguage) language.choose(null);
    state.hasExampleLanguage = false;
    find("use-example").focus();
  }

  // Texts of a job that was started are not asked about while the reader looks at its result.
  function warnBeforeLoss(event) {
    const isLoss = !section.hidden || state.started !== currentTexts();
    if (inputs.hasOwnTexts() && isLoss) event.preventDefault();
  }

  function refuseDrop(event) {
    const isFile = event.dataTransfer?.types.includes("Files");
    if (section.hidden || !isFile || event.target.closest?.(".zone")) return;
    find("drop-error").textContent = "Drop files on Systems, References or Source.";
    find("drop-error").scrollIntoView({ block: "center" });
  }

  find("size-limit").textContent = `A file may have up to ${info.limits.max_mb} MB.`;
  find("align-source").addEventListener("change", () => {
    find("source-language-part").hidden = !find("align-source").checked;
    formChanged();
  });
  find("start").addEventListener("click", startJob);
  find("use-example").addEventListener("click", useExample);
  find("remove-all").addEventListener("click", removeAll);
  addEventListener("beforeunload", warnBeforeLoss);
  addEventListener("drop", refuseDrop);
  showPreview();
}

// The form keeps its state while other views are shown.
export function show() {}
