// The texts of the form, in three drop zones: systems, references and the source.

import { request } from "./api.js";
import { certainRoles, columnRoles, guessColumn } from "./column_roles.js";
import { button, element, formatBytes } from "./dom.js";
import { InputCard } from "./input_card.js";
import { uploadAgain } from "./lost_files.js";

const MEGABYTE = 1_000_000;
const CSV = /\.csv(\.\w+)?$/i; // also if it is compressed
const CSV_HINT = "This file is read as plain text, one segment per line. Columns need a .tsv file.";

// onChange() is called whenever the texts change.
export function startInputs(section, info, onChange) {
  const zones = new Map(); // role → its list of cards, their nodes and where messages go
  let pasted = 0;

  const allCards = () => [...zones.values()].flatMap(({ cards }) => cards);
  const usersOf = (file) => allCards().filter((card) => card.file?.id === file.id);

  const events = {
    onChange() {
      showColumnFiles();
      onChange();
    },
    onFile(card) {
      const { file } = card;
      if (!file.columns) return;
      const used = new Set(usersOf(file).map((other) => other.column));
      const column = guessColumn(file.columns, card.role, used);
      card.useFile(file, column);
      addCertainColumns(file);
    },
    onReplace(file, owner) {
      const isUsed = usersOf(file).some((card) => card !== owner);
      // Nobody waits for this: what is left is removed by the server later.
      if (!isUsed) request("DELETE", `/api/files/${file.id}`).catch(() => {});
    },
    onRemove(card) {
      const zone = zones.get(card.role);
      const at = zone.cards.indexOf(card);
      removeCard(card);
      events.onChange();
      (zone.cards[at]?.removeButton ?? zone.choose).focus();
    },
  };

  function removeCard(card) {
    const { cards } = zones.get(card.role);
    card.remove();
    cards.splice(cards.indexOf(card), 1);
  }

  function addCard(role, title) {
    const zone = zones.get(role);
    // There is one source: a new one replaces it.
    if (role === "source") for (const card of [...zone.cards]) removeCard(card);
    const card = new InputCard(role, title, events);
    zone.cards.push(card);
    zone.list.append(card.node);
    return card;
  }

  function addFiles(role, files) {
    const { message } = zones.get(role);
    const problems = [];
    let accepted = [...files];
    if (role === "source" && accepted.length > 1) {
      problems.push(`There is only one source: ${accepted[0].name} is used.`);
      accepted = accepted.slice(0, 1);
    }
    for (const file of accepted) {
      const problem = refuse(file);
      if (problem) problems.push(problem);
      else {
        const card = addCard(role, file.name);
        if (CSV.test(file.name)) card.hint.textContent = CSV_HINT;
        card.send(file);
      }
    }
    message.replaceChildren(...problems.map((text) => element("p", {}, text)));
  }

  // Why a file cannot be used, or "".
  function refuse(file) {
    if (file.size > info.limits.max_mb * MEGABYTE)
      return `${file.name} has ${formatBytes(file.size)}. The limit of this server is ${info.limits.max_mb} MB.`;
    if (!info.parquet && /\.parquet$/i.test(file.name))
      return `${file.name} cannot be read: this server has no support for Parquet files.`;
    return "";
  }

  function addText(role) {
    pasted += 1;
    const card = addCard(role, `pasted-${pasted}.txt`);
    card.addTextField();
    events.onChange();
    card.textField.focus();
  }

  function startZone(node) {
    const { role } = node.dataset;
    const picker = element("input", { type: "file", hidden: "" });
    picker.multiple = role !== "source";
    picker.addEventListener("change", () => {
      addFiles(role, picker.files);
      picker.value = ""; // the same file can be chosen again
    });
    const files = role === "source" ? "file" : "files";
    const choose = button(`Choose ${files}`, () => picker.click());
    choose.setAttribute("aria-label", `Choose ${files}: ${role}`);
    const paste = button("Paste text", () => addText(role), {
      "aria-label": `Paste text: ${role}`,
    });
    const list = element("ul", { class: "inputs" });
    const message = element("div", { class: "error", role: "alert" });
    const hint = element("span", { class: "drop-hint" }, `or drop ${files} here`);
    node.append(list, message, element("div", { class: "actions" }, choose, paste, hint), picker);
    zones.set(role, { cards: [], list, message, choose });
    acceptDrops(node, (dropped) => addFiles(role, dropped), message);
  }

  function acceptDrops(node, add, message) {
    let depth = 0; // children of the zone send their own enter and leave events
    const mark = (by) => {
      depth = by ? depth + by : 0;
      node.classList.toggle("over", depth > 0);
    };
    node.addEventListener("dragenter", () => mark(1));
    node.addEventListener("dragleave", () => mark(-1));
    node.addEventListener("dragover", (event) => event.preventDefault());
    node.addEventListener("drop", (event) => {
      event.preventDefault();
      mark(0);
      const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
      const folder = items.map((item) => item.webkitGetAsEntry?.()).find((e) => e?.isDirectory);
      if (folder) message.textContent = `${folder.name} is a folder. Drop the files in it instead.`;
      else if (event.dataTransfer.files.length) add(event.dataTransfer.files);
    });
  }

  // The columns of every file that has some.
  function showColumnFiles() {
    const files = new Map();
    for (const { file } of allCards()) if (file?.columns) files.set(file.id, file);
    const focused = document.activeElement?.getAttribute("aria-label");
    const box = section.querySelector("#column-files");
    const hadFocus = box.contains(document.activeElement);
    const roleOf = (file) => (column) =>
      usersOf(file).find((card) => card.column === column)?.role ?? "";
    const lists = [...files.values()].map((file) =>
      columnRoles(file, roleOf(file), (column, role) => setColumnRole(file, column, role)),
    );
    box.replaceChildren(...lists);
    if (hadFocus) [...box.querySelectorAll("select")].find((e) => e.ariaLabel === focused)?.focus();
  }

  // Fills roles that have no text yet from the headings of a new file. It leaves roles alone for
  // which the user has given something.
  function addCertainColumns(file) {
    const isFree = new Map([...zones].map(([role, { cards }]) => [role, !cards.length]));
    const used = new Set(usersOf(file).map((card) => card.column));
    for (const [column, role] of certainRoles(file.columns)) {
      if (isFree.get(role) && !used.has(column)) addCard(role, file.name).useFile(file, column);
    }
  }

  function setColumnRole(file, column, role) {
    const old = usersOf(file).filter((card) => card.column === column);
    // The new card comes first: the file stays in use.
    if (role) addCard(role, file.name).useFile(file, column);
    for (const card of old) if (!card.isRemoved) removeCard(card);
    events.onChange();
  }

  // Replaces all texts by those of the example.
  function useExample({ systems, references, source }) {
    clear();
    const add = (role) => (entry) => {
      const file = { id: entry.file, columns: null, exampleName: entry.name };
      addCard(role, entry.name ?? role).useFile(file, entry.column);
    };
    systems.forEach(add("system"));
    references.forEach(add("reference"));
    if (source) add("source")(source);
    events.onChange();
  }

  function clear() {
    for (const card of allCards()) removeCard(card);
    for (const { message } of zones.values()) message.replaceChildren();
    events.onChange();
  }

  // Uploads all texts again. Returns whether the server has all of them; those that it lacks are
  // marked.
  async function restore() {
    const files = new Set(allCards().map((card) => card.file).filter(Boolean));
    const problems = await uploadAgain(files);
    for (const card of allCards()) {
      const error = problems.get(card.file);
      if (error) card.setProblem(error.message, error.status && tryAgain);
      else if (files.has(card.file)) card.setProblem("");
    }
    events.onChange();
    return !problems.size;
  }

  const tryAgain = () => restore().catch(() => {}); // the marks stay if the server does not answer

  // A pasted text that is being changed counts as it was until it has been sent.
  const usable = (role) => zones.get(role).cards.filter((card) => card.file && !card.problem);

  // The texts as the server wants them; those that are not uploaded yet are left out.
  function toRequest() {
    const [source] = usable("source");
    return {
      systems: usable("system").map((card) => card.toRequest()),
      references: usable("reference").map((card) => card.toRequest()),
      ...(source && { source: source.toRequest() }),
    };
  }

  section.querySelectorAll(".zone").forEach(startZone);
  return {
    clear,
    restore,
    toRequest,
    useExample,
    isEmpty: () => !allCards().length,
    hasOwnTexts: () => allCards().some((card) => card.isOwnText()),
    cards: usable,
    // Why a job cannot start yet, or "".
    waitsFor: () =>
      allCards()
        .map((card) => card.waitsFor())
        .find(Boolean) ?? "",
  };
}
