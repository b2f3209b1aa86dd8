// Orders of n words to begin with.

const range = (n) => Array.from({ length: n }, (_, k) => k + 1);

// Even values, then odd ones: with four words or more, no neighbours stay together.
function interleave(n) {
  const values = range(n);
  return [...values.filter((value) => value % 2 === 0), ...values.filter((value) => value % 2)];
}

function shuffle(n) {
  const values = range(n);
  for (let k = n - 1; k > 0; k--) {
    const other = Math.floor(Math.random() * (k + 1));
    [values[k], values[other]] = [values[other], values[k]];
  }
  return values;
}

export const ORDERS = {
  "In order": range,
  "Reversed": (n) => range(n).reverse(),
  "Interleaved": interleave,
  "Shuffled": shuffle,
};

// The order of a sentence that has become longer or shorter: new words come last.
export function resize(values, n) {
  const kept = values.filter((value) => value <= n);
  return [...kept, ...range(n).filter((value) => !kept.includes(value))];
}
