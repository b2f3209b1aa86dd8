// One job: its progress, or what came out of it.

import { request } from "./api.js";
import { button, count, element, formatBytes, formatSeconds } from "./dom.js";

const WIDE = matchMedia("(min-width: 901px)"); // the report needs space beside its own margins
const COPIED = 2000; // milliseconds for which a button says so

export class JobView {
  // askAgain() asks the server for the state of the job at once.
  constructor(id, askAgain) {
    this.id = id;
    this.askAgain = askAgain;
    this.path = `/api/jobs/${encodeURIComponent(id)}`;
    this.node = element("div", {});
    this.shown = ""; // the state that the node shows
  }

  update(job) {
    if (job.state !== this.shown) {
      // Progress has a Cancel button: its focus must not get lost when the job ends.
      const hadFocus = this.node.contains(document.activeElement);
      this.node.replaceChildren(...this.partsOf(job));
      if (hadFocus) this.node.querySelector("h3, a, button")?.focus();
      this.shown = job.state;
    }
    if (job.state === "running") this.showProgress(job.progress);
    if (job.state === "waiting") this.showQueue(job.ahead);
  }

  // What a screen reader says: a line for each step, not for each second.
  announcement(job) {
    if (job.state === "running") return job.progress ? `Running: ${job.progress.step}` : "Running";
    const texts = {
      waiting: "The job waits.",
      done: "The job is done.",
      failed: "The job has failed.",
      cancelled: "The job was cancelled.",
    };
    return texts[job.state];
  }

  partsOf(job) {
    const navigation = element("p", { class: "actions" }, link("#jobs", "All jobs"));
    navigation.append(link("#compare", "Back to the form"));
    const parts = { waiting: runningParts, running: runningParts, done: doneParts };
    const own = (parts[job.state] ?? endedParts).call(this, job);
    return [navigation, ...own];
  }

  showProgress(progress) {
    if (!progress) {
      this.step.textContent = "starting"; // the process of the job has not said anything yet
      return;
    }
    const { done, total, unit, step, next } = progress;
    if (total) {
      this.bar.max = total;
      this.bar.value = done;
    } else this.bar.removeAttribute("value");
    this.step.textContent = step;
    const counts = total ? `${count(done)} of ${count(total)} ${unit ?? ""}`.trim() : "";
    this.counts.textContent = [counts, ...timesOf(progress)].filter(Boolean).join(" · ");
    this.next.textContent = next?.length ? `Next: ${next.join(", ")}` : "";
  }

  showQueue(ahead) {
    this.step.textContent = "waiting";
    this.counts.textContent =
      ahead === 1 ? "1 job is before this one." : `${count(ahead)} jobs are before this one.`;
  }

  async cancel(event) {
    event.target.disabled = true;
    this.problem.textContent = "";
    try {
      await request("POST", `${this.path}/cancel`);
    } catch (error) {
      event.target.disabled = false;
      this.problem.textContent = error.message;
    }
    await this.askAgain();
  }
}

const link = (href, text, attributes = {}) => element("a", { href, ...attributes }, text);
const heading = (text) => element("h3", { tabindex: -1 }, text);

function timesOf({ seconds, seconds_left: left }) {
  const times = [`${formatSeconds(seconds)} so far`];
  if (left !== null && left !== undefined)
    times.push(`about ${formatSeconds(left)} left in this step`);
  return times;
}

function runningParts() {
  this.step = element("p", { class: "state running" });
  this.bar = element("progress", { "aria-label": "Progress of the current step" });
  this.counts = element("p", {});
  this.next = element("p", { class: "note" });
  this.problem = element("p", { class: "error", role: "alert" });
  const cancel = button("Cancel", (event) => this.cancel(event));
  const box = element(
    "div",
    { class: "progress" },
    this.step,
    this.bar,
    this.counts,
    this.next,
    cancel,
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
  const verdict = job.verdict.map((text) => element("p", { dir: "auto" }, text));
  const address = `/jobs/${encodeURIComponent(job.id)}/report.html`;
  return [
    element("div", { class: "verdict" }, ...verdict),
    ...warningsOf(job),
    heading("Downloads"),
    element("ul", { class: "downloads" }, ...job.files.map((file) => downloadOf(this.path, file))),
    ...commandsOf(job),
    heading("Report"),
    element(
      "p",
      {},
      link(address, "Open the report in its own tab", { target: "_blank", rel: "noopener" }),
    ),
    reportFrame(address),
  ];
}

const warningsOf = ({ warnings }) =>
  (warnings ?? []).map((text) => element("p", { class: "caution", dir: "auto" }, text));

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
    {},
    element("summary", {}, "Commands of the single files"),
    ...each,
  );
  return [
    heading("The same on the command line"),
    commandLine(job.command, "report"),
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

// The report inside the page, on screens that are wide enough.
function reportFrame(address) {
  const box = element("div", {});
  const show = () => {
    if (WIDE.matches && !box.firstChild)
      box.append(element("iframe", { class: "report", src: address, title: "Report" }));
    else if (!WIDE.matches) box.replaceChildren();
  };
  WIDE.addEventListener("change", show);
  show();
  return box;
}
