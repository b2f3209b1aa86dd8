// The Jobs view: the list of jobs, or one job. Both ask the server again while something runs.

import { request } from "./api.js";
import { button, element, plural } from "./dom.js";
import { ENDED, JobView } from "./job_view.js";
import { languageName } from "./language_choice.js";

const PAUSES = { job: 500, list: 1500, gone: 3000 }; // milliseconds between two questions

let find; // an element of the section by its id
let offered; // what the server offers
let current = { id: null, view: null };
let waiting = 0;

export function start(section, info) {
  find = (id) => section.querySelector(`#${id}`);
  offered = info;
  find("jobs-kept").textContent = info.keep
    ? "Results are kept on disk. They are listed again after a restart with the same --keep folder."
    : "Results are kept until the server stops. Download what you want to keep.";
}

export function show(query) {
  const id = new URLSearchParams(query).get("id");
  const isNew = id !== current.id;
  if (isNew) {
    current = { id, view: id ? new JobView(id, update) : null };
    find("job-part").replaceChildren(...(id ? [current.view.node] : []));
    find("jobs-error").textContent = "";
    find("jobs-status").textContent = "";
    document.title = "Jobs – Hyperbaton";
    find("jobs-heading").textContent = id ? "Job" : "Jobs";
  }
  find("job-list-part").hidden = id !== null;
  find("job-part").hidden = id === null;
  if (isNew) focusHeading();
  return update();
}

// From a job to the list or back, the view is the same, but the reader is elsewhere.
function focusHeading() {
  find("jobs-heading").tabIndex = -1;
  find("jobs-heading").focus({ preventScroll: true });
  scrollTo(0, 0);
}

const isVisible = () => find("jobs-heading").checkVisibility();

async function update() {
  clearTimeout(waiting);
  const { id } = current;
  let pause = null;
  try {
    pause = id ? await updateJob(id) : await updateList();
    if (id === current.id) setText("jobs-error", "");
  } catch (error) {
    if (id !== current.id) return;
    setText("jobs-error", error.message);
    // A server that does not answer may come back; any other error stays.
    if (!error.status) {
      pause = PAUSES.gone;
      current.view?.pause();
    }
  }
  if (pause && id === current.id) ask(pause);
}

function ask(pause) {
  clearTimeout(waiting);
  waiting = setTimeout(() => isVisible() && update(), pause);
}

// Alerts and status lines are read aloud whenever they are written: only when they change.
function setText(id, text) {
  if (find(id).textContent !== text) find(id).textContent = text;
}

async function updateJob(id) {
  const job = await request("GET", `/api/jobs/${encodeURIComponent(id)}`);
  if (id !== current.id) return null;
  current.view.update(job);
  setText("jobs-heading", nameOf(job));
  setText("jobs-status", current.view.announcement(job));
  document.title = `${nameOf(job)}, ${job.state} – Hyperbaton`;
  return ENDED.includes(job.state) ? null : PAUSES.job;
}

async function updateList() {
  const { jobs } = await request("GET", "/api/jobs");
  if (current.id !== null) return null;
  showList(jobs);
  return jobs.some((job) => !ENDED.includes(job.state)) ? PAUSES.list : null;
}

const nameOf = (job) => job.title || job.systems.join(", ");

// Jobs without a title of their own have one that lists their systems, or the first ones of many.
const namesSystems = (job) =>
  nameOf(job) === job.systems.join(", ") ||
  nameOf(job).startsWith(`${plural(job.systems.length, "system")}: `);

function showList(jobs) {
  const list = find("job-list");
  const before = list.contains(document.activeElement) ? document.activeElement : null;
  const label = before?.ariaLabel ?? before?.textContent;
  const isAsked = list.querySelector(".confirm"); // do not take a question away from the reader
  if (isAsked) return;
  list.replaceChildren(...jobs.map(jobItem));
  if (!jobs.length) {
    const start = element("a", { href: "#compare" }, "Compare systems");
    list.append(element("li", {}, element("p", {}, "No jobs yet. ", start)));
  }
  if (before)
    [...list.querySelectorAll("a, button")]
      .find((node) => (node.ariaLabel ?? node.textContent) === label)
      ?.focus();
}

function jobItem(job) {
  const link = element("a", { href: `#jobs?id=${encodeURIComponent(job.id)}` });
  link.append(element("bdi", {}, nameOf(job)));
  const facts = [
    new Date(job.created).toLocaleString(),
    plural(job.systems.length, "system"),
    ...(job.segments ? [plural(job.segments, "segment")] : []),
    job.language ? languageName(job.language, offered) : "no language",
    plural(job.metrics.length, "metric"),
  ];
  const about = element(
    "div",
    {},
    element("p", { class: "title" }, link),
    element("p", { class: "note" }, facts.join(" · ")),
  );
  if (!namesSystems(job))
    about.append(element("p", { class: "note", dir: "auto" }, job.systems.join(", ")));
  if (job.error) about.append(element("p", { class: "error" }, job.error));
  return element(
    "li",
    {},
    element("p", { class: `state ${job.state}` }, job.state),
    about,
    jobActions(job),
  );
}

function jobActions(job) {
  const path = `/api/jobs/${encodeURIComponent(job.id)}`;
  const name = `${nameOf(job)}, ${new Date(job.created).toLocaleString()}`;
  const act = (method, address) => async () => {
    box.classList.remove("confirm");
    try {
      await request(method, address);
    } catch (error) {
      setText("jobs-error", error.message);
    }
    await update();
    if (!document.activeElement || document.activeElement === document.body) focusHeading();
  };
  const box = element("div", { class: "actions" });
  if (!ENDED.includes(job.state)) {
    box.append(button("Cancel", act("POST", `${path}/cancel`), { "aria-label": `Cancel ${name}` }));
    return box;
  }
  // The files of a job cannot be brought back: the reader is asked once more.
  const remove = button("Remove", confirm, { "aria-label": `Remove ${name}` });
  function confirm() {
    const yes = button("Remove for good", act("DELETE", path));
    const no = button("Keep", () => {
      box.classList.remove("confirm");
      box.replaceChildren(remove);
      remove.focus();
      ask(0);
    });
    box.classList.add("confirm");
    box.replaceChildren(yes, no);
    no.focus();
  }
  box.append(remove);
  return box;
}
