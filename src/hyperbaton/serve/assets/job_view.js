// One job: its progress, or what came out of it.

import { request } from "./api.js";
import { button, count, element, formatBytes, formatSeconds, sentenceParts } from "./dom.js";
import { RemainingTime } from "./remaining_time.js";

const WIDE = matchMedia("(min-width: 901px)"); // the report needs space beside its own margins
const COMMAND_NOTE =
  "Run it in the folder with your files. Save pasted texts under the names in the command.";
const COPIED = 2000; // milliseconds for which a button says so

export const ENDED = ["done", "failed", "cancelled"];

export class JobView {
  // askAgain() asks the server for the state of the job at once.
  constructor(id, askAgain) {
    this.id = id;
    this.askAgain = askAgain;
    this.path = `/api/jobs/${encodeURIComponent(id)}`;
    this.node = element("div", {});
    this.shown = ""; // what the node shows: "active", or the state of an ended job
    this.isCancelling = false;
    this.remaining = new RemainingTime();
  }

  update(job) {
    // Waiting and running look the same: a button that is being pressed must not be replaced.
    const shown = ENDED.includes(job.state) ? job.state : "active";
    if (shown !== this.shown) {
      // Progress has a Cancel button: its focus must not get lost when the job ends.
      const hadFocus = this.node.contains(document.activeElement);
      this.node.replaceChildren(...this.partsOf(job));
      if (hadFocus) this.node.querySelector("h3, a, button")?.focus();
      this.shown = shown;
    }
    if (job.state === "running") this.showProgress(job.progress);
    if (job.state === "waiting") this.showQueue(job.ahead);
    if (!ENDED.includes(job.state)) this.cancelButton.disabled = this.isCancelling;
  }

  // The server does not answer: nothing moves, and nothing can be cancelled.
  pause() {
    if (!this.shown || ENDED.includes(this.shown)) return;
    if (this.bar.position < 0) this.bar.value = 0; // a bar without a value moves
    this.cancelButton.disabled = true;
    this.counts.textContent = "";
  }

  // What a screen reader says: a line for each step, not for each second.
  announcement(job) {
    if (job.state === "running") return job.progress ? `Running: ${job.progress.step}` : "Running";
    const texts = {
      waiting: "The job is waiting.",
      done: "The job is done.",
      failed: "The job has failed.",
      cancelled: "The job was cancelled.",
    };
    return texts[job.state];
  }

  partsOf(job) {
    const navigation = element("p", { class: "actions" }, link("#jobs", "All jobs"));
    navigation.append(link("#compare", "Back to the form"));
    const parts = { waiting: activeParts, running: activeParts, done: doneParts };
    const own = (parts[job.state] ?? endedParts).call(this, job);
    return [navigation, ...own];
  }

  showProgress(progress) {
    if (!progress) {
      this.step.textContent = "starting"; // the process of the job has not said anything yet
      this.bar.removeAttribute("value");
      return;
    }
    const { done, total, unit, step, next } = progress;
    if (total) {
      this.bar.max = total;
      this.bar.value = done;
    } else this.bar.removeAttribute("value");
    this.step.textContent = step;
    const counts = total ? `${count(done)} of ${count(total)} ${unit ?? ""}`.trim() : "";
    const soFar = `${formatSeconds(progress.seconds)} so far`;
    const facts = [counts, soFar, this.remaining.update(progress)];
    this.counts.textContent = facts.filter(Boolean).join(" · ");
    this.next.textContent = next?.length ? `Next: ${next.join(", ")}` : "";
  }

  showQueue(ahead) {
    this.step.textContent = "waiting";
    this.bar.removeAttribute("value");
    this.counts.textContent =
      ahead === 1 ? "1 job is ahead of this one." : `${count(ahead)} jobs are ahead of this one.`;
  }

  async cancel() {
    this.isCancelling = true;
    this.cancelButton.disabled = true;
    this.problem.textContent = "";
    try {
      await request("POST", `${this.path}/cancel`);
    } catch (error) {
      this.isCancelling = false;
      if (error.status) this.problem.textContent = error.message; // otherwise, the next question says it
    }
    await this.askAgain();
  }
}

const link = (href, text, attributes = {}) => element("a", { href, ...attributes }, text);
const heading = (text) => element("h3", { tabindex: -1 }, text);

function activeParts() {
  this.step = element("p", { class: "state running" });
  this.bar = element("progress", { "aria-label": "Progress of the current step" });
  this.counts = element("p", {});
  this.next = element("p", { class: "note" });
  this.problem = element("p", { class: "error", role: "alert" });
  this.cancelButton = button("Cancel", () => this.cancel());
  const box = element(
    "div",
    { class: "progress" },
    this.step,
    this.bar,
    this.counts,
    this.next,
    this.cancelButton,
  );
  return [box, this.problem];
}

// A job that failed or was cancelled.
function endedParts(job) {
  const text = job.state === "cancelled" ? "The job was cancelled." : "The job has failed.";
  const parts = [heading(text)];
  if (job.error) parts.push(element("p", { class: "error" }, job.error));
  parts.push(...warningsOf(job));
  parts.push(
    element(
      "p",
      {},
      "The form still has your texts and settings. ",
      link("#compare", "Back to the form"),
    ),
  );
  return parts;
}

function doneParts(job) {
  const verdict = job.verdict.map((text) => element("p", {}, ...sentenceParts(text)));
  const address = `/jobs/${encodeURIComponent(job.id)}/report.html`;
  return [
    element("div", { class: "verdict" }, ...verdict),
    ...warningsOf(job),
    element(
      "div",
      { class: "screen-only" },
      heading("Downloads"),
      element("ul", { class: "downloads" }, ...job.files.map((file) => downloadOf(this.path, file))),
    ),
    ...commandsOf(job),
    heading("Report"),
    element(
      "p",
      { class: "screen-only" },
      link(address, "Open the report in its own tab", { target: "_blank", rel: "noopener" }),
    ),
    element("p", { class: "print-only" }, `The report is at ${location.origin}${address}`),
    reportFrame(address),
  ];
}

const warningsOf = ({ warnings }) =>
  (warnings ?? []).map((text) =>
    element("p", { class: text.startsWith("note:") ? "remark" : "caution", dir: "auto" }, text),
  );

function downloadOf(path, { name, label, bytes }) {
  const file = link(`${path}/files/${encodeURIComponent(name)}`, label, { download: name });
  file.append(element("span", { class: "note" }, `${name}, ${formatBytes(bytes)}`));
  return element("li", {}, file);
}

function commandsOf(job) {
  const each = job.files
    .filter((file) => file.command)
    .flatMap(({ name, command }) => [element("h4", {}, name), commandLine(command, name)]);
  const more = element(
    "details",
    { class: "screen-only" },
    element("summary", {}, "Commands of the single files"),
    ...each,
  );
  return [
    heading("The same on the command line"),
    // The example set needs no files.
    ...(/ --example( |$)/.test(job.command) ? [] : [element("p", { class: "note" }, COMMAND_NOTE)]),
    commandLine(job.command, "report"),
    ...(job.command_notes ?? []).map((text) => element("p", { class: "remark", dir: "auto" }, text)),
    ...(each.length ? [more] : []),
  ];
}

function commandLine(command, name) {
  // Lines are broken between arguments, not after the hyphens of an option.
  const parts = command.split(/(?<= )/).map((part) => element("span", {}, part));
  const code = element("code", {}, ...parts);
  const copy = button("Copy", copyText, { "aria-label": `Copy the command of ${name}` });
  const told = element("span", { "aria-live": "polite" });
  async function copyText() {
    try {
      await navigator.clipboard.writeText(command);
      told.textContent = "Copied";
    } catch {
      // Browsers allow this only on secure pages: the reader copies the selected text instead.
      getSelection().selectAllChildren(code);
      told.textContent = "Selected; press Ctrl+C to copy";
    }
    setTimeout(() => told.replaceChildren(), COPIED);
  }
  return element("div", { class: "command" }, code, copy, told);
}

const narrowNote = () =>
  element("p", { class: "note screen-only" }, "The report opens in its own tab.");

// The report inside the page, on screens that are wide enough.
function reportFrame(address) {
  const box = element("div", {});
  const show = () => {
    if (WIDE.matches && !box.querySelector("iframe"))
      box.replaceChildren(element("iframe", { class: "report", src: address, title: "Report" }));
    else if (!WIDE.matches) box.replaceChildren(narrowNote());
  };
  WIDE.addEventListener("change", show);
  show();
  return box;
}
