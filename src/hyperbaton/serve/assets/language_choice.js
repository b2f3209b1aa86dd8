// A language field: names and codes of all languages, and tags such as pt-BR.

import { element } from "./dom.js";

const TAG = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i;
// Suggested before all others.
const COMMON = "en de fr es zh ja ar ru pt it hi ko nl pl tr uk cs sv vi fa he id".split(" ");

const labelOf = ({ name, code }) => `${name} (${code})`;

// The languages as readers look for them: common ones first, then all others by name.
function byUse({ languages }) {
  const known = new Map(languages.map((language) => [language.code, language]));
  const common = COMMON.map((code) => known.get(code)).filter(Boolean);
  return [...common, ...languages.filter((language) => !common.includes(language))];
}

// All language fields share one list of suggestions.
function fillSuggestions(list, info) {
  if (list.childElementCount) return;
  const options = byUse(info).map((language) => element("option", { value: labelOf(language) }));
  list.append(...options);
}

// The name of a language for readers; a tag that has no name is shown as it is.
export function languageName(code, { languages }) {
  return languages.find((language) => language.code === code)?.name ?? code;
}

// onChange() is called whenever the language changes; problem is where errors are shown.
export function startLanguageChoice(field, problem, info, onChange) {
  const codes = new Map();
  for (const language of info.languages) {
    for (const text of [language.code, labelOf(language)])
      codes.set(text.toLowerCase(), language.code);
    const name = language.name.toLowerCase();
    if (!codes.has(name)) codes.set(name, language.code);
  }
  fillSuggestions(field.list, info);

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
