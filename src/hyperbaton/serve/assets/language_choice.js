// A language field: names and codes of all languages, and tags such as pt-BR.

import { element } from "./dom.js";

const TAG = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i;

const labelOf = ({ name, code }) => `${name} (${code})`;

// The names that all language fields suggest.
export const languageOptions = ({ languages }) =>
  languages.map((language) => element("option", { value: labelOf(language) }));

// onChange() is called whenever the language changes; problem is where errors are shown.
export function startLanguageChoice(field, problem, info, onChange) {
  const codes = new Map();
  for (const language of info.languages) {
    for (const text of [language.code, labelOf(language)])
      codes.set(text.toLowerCase(), language.code);
    const name = language.name.toLowerCase();
    if (!codes.has(name)) codes.set(name, language.code);
  }

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
