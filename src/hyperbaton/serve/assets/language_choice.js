// The language field: names and codes of all languages, and tags such as pt-BR.

import { element } from "./dom.js";

const TAG = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i;

// onChange() is called whenever the language changes.
export function startLanguageChoice(section, info, onChange) {
  const field = section.querySelector("#language");
  const problem = section.querySelector("#language-error");
  const labelOf = ({ name, code }) => `${name} (${code})`;
  const codes = new Map();
  for (const language of info.languages) {
    for (const text of [language.code, labelOf(language)])
      codes.set(text.toLowerCase(), language.code);
    const name = language.name.toLowerCase();
    if (!codes.has(name)) codes.set(name, language.code);
  }
  const options = info.languages.map((language) => element("option", { value: labelOf(language) }));
  section.querySelector("#languages").append(...options);

  // The code, null if no language is given, or undefined if it is not a language.
  function code() {
    const text = field.value.trim();
    if (!text) return null;
    return codes.get(text.toLowerCase()) ?? (TAG.test(text) ? text : undefined);
  }

  field.addEventListener("input", () => {
    problem.textContent = "";
    onChange();
  });
  field.addEventListener("change", () => {
    if (code() === undefined) problem.textContent = `Unknown language: ${field.value.trim()}`;
  });

  return {
    code,
    choose(wanted) {
      const language = info.languages.find((known) => known.code === wanted);
      field.value = language ? labelOf(language) : (wanted ?? "");
      problem.textContent = "";
    },
  };
}
