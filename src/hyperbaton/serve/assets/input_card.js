// One text of the form: a file that was chosen or dropped, or a text that was pasted.

import { upload } from "./api.js";
import { button, debounce, element, formatBytes, option } from "./dom.js";

const NAME_AT_MOST = 200; // characters
const PAUSE = 500; // milliseconds without typing before a pasted text is sent

export class InputCard {
  // events: onChange() when the texts of the form change, onRemove(card), onFile(card) when its
  // file has arrived, onReplace(file) when a file is not needed any more.
  constructor(role, title, events) {
    this.role = role;
    this.title = title; // the name until the server says one
    this.events = events;
    this.file = null; // the server's answer to the upload
    this.column = null;
    this.isNameEdited = false;
    this.isRemoved = false;
    this.problem = "";
    this.sending = null;
    this.buildNode();
  }

  buildNode() {
    this.heading = element("bdi", { class: "file-name" });
    this.removeButton = button("Remove", () => this.events.onRemove(this));
    this.size = element("span", {});
    this.lines = element("span", {});
    this.body = element("div", {});
    this.columnSelect = element("select", {});
    this.columnSelect.addEventListener("change", () => {
      this.setColumn(this.columnSelect.value);
      this.events.onChange();
    });
    this.columnPart = element("label", { hidden: "" }, "Column", this.columnSelect);
    this.nameField = element("input", { autocomplete: "off", spellcheck: "false", dir: "auto" });
    this.nameField.maxLength = NAME_AT_MOST;
    this.nameField.addEventListener("input", () => {
      this.isNameEdited = this.nameField.value.trim() !== "";
      this.events.onChange();
    });
    this.hint = element("p", { class: "note" });
    this.flags = element("div", { class: "error" });
    const facts = element("span", { class: "facts" }, this.size, " ", this.lines);
    const fields = element("div", { class: "input-fields" }, this.columnPart);
    if (this.role === "system") {
      this.nameField.value = this.title;
      fields.append(element("label", {}, "Name in the report", this.nameField));
    }
    this.node = element(
      "li",
      { class: "input" },
      element("div", { class: "input-head" }, this.heading, facts, this.removeButton),
      this.body,
      fields,
      this.hint,
      this.flags,
    );
    this.setTitle(this.title);
  }

  // Screen readers read controls one by one: each of them names its text.
  setTitle(title) {
    this.title = title;
    this.heading.textContent = title;
    const text = `${this.role} ${title}${this.column ? `, column ${this.column}` : ""}`;
    this.removeButton.setAttribute("aria-label", `Remove ${text}`);
    this.columnSelect.setAttribute("aria-label", `Column of ${text}`);
    this.nameField.setAttribute("aria-label", `Name in the report of ${text}`);
    this.textField?.setAttribute("aria-label", `Text of ${text}, one segment per line`);
  }

  // A text field whose content is sent whenever the user pauses.
  addTextField() {
    this.isPasted = true;
    const field = element("textarea", { dir: "auto", spellcheck: "false", rows: 6 });
    const label = element("label", {}, "Text, one segment per line", field);
    const send = debounce(() => this.sendText(field.value), PAUSE);
    field.addEventListener("input", () => {
      this.isTyping = true;
      this.events.onChange();
      send();
    });
    this.body.append(label);
    this.textField = field;
    this.setTitle(this.title);
  }

  sendText(text) {
    this.isTyping = false;
    if (this.isRemoved) return;
    if (text) return this.send(new Blob([text]));
    this.sending?.abort();
    this.releaseFile();
    this.events.onChange();
  }

  async send(blob) {
    this.sending?.abort();
    const sending = new AbortController();
    this.sending = sending;
    const bar = element("progress", { max: 1, value: 0, "aria-label": `Upload of ${this.title}` });
    if (!this.isPasted) this.body.replaceChildren(bar);
    this.setProblem("");
    this.size.textContent = formatBytes(blob.size);
    this.events.onChange();
    const onProgress = (share) => bar.setAttribute("value", share);
    try {
      const file = await upload(this.title, blob, onProgress, sending.signal);
      if (this.isRemoved) return this.events.onReplace(file);
      this.releaseFile();
      this.file = { ...file, blob };
    } catch (error) {
      if (error.name === "AbortError") return;
      this.setProblem(error.message, () => this.send(blob));
    }
    if (!this.isPasted) this.body.replaceChildren();
    this.sending = null;
    if (this.file) this.events.onFile(this);
    this.events.onChange();
  }

  releaseFile() {
    if (this.file) this.events.onReplace(this.file, this);
    this.file = null;
  }

  // Stops the upload; the file is no longer needed.
  remove() {
    this.isRemoved = true;
    this.sending?.abort();
    this.releaseFile();
    this.node.remove();
  }

  useFile(file, column, name) {
    this.file = file;
    if (file.bytes) this.size.textContent = formatBytes(file.bytes);
    if (file.columns) {
      this.columnPart.hidden = false;
      this.columnSelect.replaceChildren(...file.columns.map((text) => option(text, text)));
    }
    this.setColumn(column ?? null);
    if (name && this.role === "system") {
      this.nameField.value = name;
      this.isNameEdited = true;
    }
  }

  setColumn(column) {
    this.column = column;
    if (column) this.columnSelect.value = column;
    this.setTitle(this.title);
  }

  setProblem(message, retry) {
    this.problem = message;
    this.node.classList.toggle("flagged", Boolean(message));
    this.lines.replaceChildren();
    this.flags.replaceChildren(...(message ? [element("p", { role: "alert" }, message)] : []));
    if (message && retry) this.flags.append(button("Try again", retry));
  }

  // What the preview has found in the text.
  showFindings({ name, label, summary, flags, badLine }) {
    if (this.problem) return;
    if (this.file.exampleName) this.setTitle(name);
    if (this.role === "system" && !this.isNameEdited && document.activeElement !== this.nameField)
      this.nameField.value = label;
    this.lines.textContent = summary;
    this.node.classList.toggle("flagged", flags.length > 0);
    this.flags.replaceChildren(...flags.map((text) => element("p", {}, text)));
    if (badLine) this.flags.append(element("p", { class: "text", dir: "auto" }, badLine.text));
  }

  // Whether the user would have to choose or type the text again.
  isOwnText() {
    return this.textField ? this.textField.value !== "" : !this.file?.exampleName;
  }

  // Why a job cannot start yet with this text, or "".
  waitsFor() {
    if (this.problem) return `${this.title} could not be uploaded.`;
    if (this.isTyping || this.sending) return `${this.title} is being uploaded.`;
    if (!this.file) return `${this.title} is empty.`;
    return "";
  }

  toRequest() {
    const entry = { file: this.file.id };
    if (this.column) entry.column = this.column;
    const name = this.nameField.value.trim();
    if (this.role === "system" && this.isNameEdited && name) entry.name = name;
    return entry;
  }
}
