// What the page shows about a permutation or two sentences, computed by the core. Nothing here needs a
// page, so the tests run it in Node.

const LONGEST_PERMUTATION = 200, // values; longer trees are hard to read
  LONGEST_SENTENCE = 200; // words
// The default of the package. It counts steps per word.
const ALIGNMENT_BUDGET = 2000;
// Less than the package's default, so that even pairs with little in common take less than a second.
const INVERSION_BUDGET = 5_000_000;

const SEPARATORS = /[\s,⟨⟩〈〉<>()[\]]+/u;
const LARGEST_INTEGER = 2 ** 31 - 1; // of the core

// Characters that are not seen, or that change the writing direction, become signs: as
// hyperbaton.text.display.visible does it. Joiners and the visible format characters stay.
function visible(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => {
    if (/[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/u.test(c)) return c;
    if (c < " ") return String.fromCodePoint(0x2400 + c.codePointAt(0));
    if (c === "\x7f") return "␡";
    return /[\p{Cf}\p{Zl}\p{Zp}]/u.test(c) ? "◦" : "□";
  });
}

// The integers of a written permutation; an error says what is wrong.
function parseValues(text) {
  const parts = text.split(SEPARATORS).filter(Boolean);
  const position = (k) => `at position ${k + 1}`;
  parts.forEach((part, k) => {
    const shown = visible(part.length < 40 ? part : `${part.slice(0, 37)}…`);
    if (!/^[+-]?[0-9]+$/.test(part)) throw new Error(`value “${shown}” ${position(k)} is not an integer`);
    if (Math.abs(+part) > LARGEST_INTEGER) {
      throw new Error(`value ${shown} ${position(k)} is outside 1..${parts.length}`);
    }
  });
  if (!parts.length) throw new Error("there are no values");
  if (parts.length > LONGEST_PERMUTATION) {
    throw new Error(`there are ${parts.length} values; this page takes ${LONGEST_PERMUTATION}`);
  }
  return parts.map(Number);
}

// How many ways there are to bracket k + 1 parts.
function catalan(k) {
  let number = 1n;
  for (let i = 1n; i <= BigInt(k); i++) number = (number * 2n * (2n * i - 1n)) / (i + 1n);
  return number;
}

// The number of permutation trees. In a flattened tree, 3×⟨1,2⟩ is a chain of three operators.
const countTrees = (flat) =>
  [...flat.matchAll(/(\d+)×/g)].reduce((product, [, k]) => product * catalan(k), 1n);

// The trees, their number, the moves and the measures of a permutation.
function analyseValues(core, values, minor = []) {
  const result = core.analysePermutation(values, minor);
  if (result.error) throw new Error(result.error);
  return { ...result, values, trees: countTrees(result.flat) };
}

const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");
const isPunctuation = (word) => !/[\p{L}\p{N}\p{M}]/u.test(word);

// The tokens as they are compared, and as they are written unless lower case changes their number.
function splitSentence(core, text) {
  const tokens = core.tokenize(wellFormed(text.toLowerCase()));
  const written = core.tokenize(wellFormed(text));
  return { tokens, words: written.length === tokens.length ? written : tokens };
}

// Errors per word of the reference; without any, 1 if there are errors.
const errorRate = (errors, length) => (length ? errors / length : Math.min(errors, 1));

// The links of two sentences, their permutation with its trees and measures, and the errors.
function analyseSentences(core, hypothesis, reference) {
  const sides = [hypothesis, reference].map((text) => splitSentence(core, text));
  const names = ["The system translation", "The reference"];
  sides.forEach(({ tokens }, side) => {
    if (tokens.length > LONGEST_SENTENCE) {
      throw new Error(`${names[side]} has ${tokens.length} words; this page takes ${LONGEST_SENTENCE}`);
    }
  });
  const numbers = new Map();
  const number = (token) => numbers.get(token) ?? numbers.set(token, numbers.size).get(token);
  const [hyp, ref] = sides.map(({ tokens }) => tokens.map(number));
  const { links, exact, chunks, permutation } = core.align(hyp, ref, numbers.size, ALIGNMENT_BUDGET);
  const { invwer_lower: lower, ...errors } = core.countErrors(hyp, ref, INVERSION_BUDGET);
  const words = sides.map((side) => side.words);
  const placedWords = links.map(([h]) => words[0][h]);
  const order = analyseValues(core, permutation, placedWords.map((word) => +isPunctuation(word)));
  const rates = Object.entries(errors).map(([name, count]) => ({
    name,
    errors: count,
    rate: errorRate(count, ref.length),
    lower: name === "invwer" ? lower : count,
  }));
  return {
    words: words.map((side) => side.map(visible)),
    links,
    exact,
    chunks,
    placedWords: placedWords.map(visible),
    order,
    rates,
  };
}
