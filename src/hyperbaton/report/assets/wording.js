// Moves in words, as wording.py has them: each is quoted as the sentence stands when its turn comes.

const QUOTED = 8; // words of a block that are quoted; of a longer one, half as many at both ends

// What is in each place of the permutation; a word with several of the reference names them.
function placedWords({ words, places }) {
  const count = new Map();
  for (const [h] of places) count.set(h, (count.get(h) || 0) + 1);
  return places.map(([h, r]) => (count.get(h) > 1 ? `${words[0][h]}/${words[1][r]}` : words[0][h]));
}

// Of each move, the block and the anchor, as text and, where that could be others, as positions.
function toldMoves({ words, places, moves }, placed) {
  const linked = new Set(places.map(([h]) => h));
  const tokens = places.map(([position], place) => ({
    text: clipped(placed[place]),
    position,
    place,
  }));
  words[0].forEach((word, position) => {
    if (!linked.has(position)) tokens.push({ text: clipped(word), position, place: null });
  });
  tokens.sort((a, b) => a.position - b.position); // stable: the places of one word keep their order
  const counts = new Map();
  for (const { text } of tokens) counts.set(text, (counts.get(text) || 0) + 1);
  return moves.map((move) => {
    const [start, end] = stretch(tokens, move.block);
    const [first, last] = stretch(tokens, move.anchor);
    const told = {
      block: quote(tokens, start, end, counts),
      side: move.before ? "before" : "after",
      anchor: quote(tokens, first, last, counts),
    };
    const block = tokens.slice(start, end);
    const to = move.before ? first : last;
    tokens.splice(to, 0, ...block);
    tokens.splice(start < to ? start : start + block.length, block.length);
    return told;
  });
}

// Where the words of these places stand now, from the first to the last.
function stretch(tokens, [i, j]) {
  const inside = [...tokens.keys()].filter((k) => {
    const { place } = tokens[k];
    return place !== null && i <= place && place < j;
  });
  return [inside[0], inside.at(-1) + 1];
}

function quote(tokens, start, end, counts) {
  const shown = tokens.slice(start, end).map((token) => (token.place === null ? null : token));
  const whole = [...shown.keys()].filter((k) => shown[k]);
  if (whole.length > QUOTED) {
    const from = whole[QUOTED / 2 - 1] + 1;
    shown.splice(from, whole.at(-QUOTED / 2) - from, null);
  }
  const runs = [[]]; // … stands between them
  for (const token of shown) {
    if (token) runs.at(-1).push(token);
    else if (runs.at(-1).length) runs.push([]);
  }
  // who finds where it begins and where it ends has found it
  const unclear = [runs[0], runs.at(-1)].some((run) => occursAgain(tokens, run, counts));
  return {
    text: runs.map((run) => run.map(({ text }) => text).join(" ")).join(" … "),
    where: unclear ? ` (${runs.map(ranges).join(" … ")})` : "",
  };
}

// Whether the words of the run also stand elsewhere.
function occursAgain(tokens, run, counts) {
  if (run.some(({ text }) => counts.get(text) === 1)) return false;
  const same = (k) => run.every(({ text }, i) => tokens[k + i]?.text === text);
  return [...tokens.keys()].filter(same).length > 1;
}

// Positions, such as 3–5, 9.
function ranges(run) {
  const pieces = [];
  for (const { position } of run) {
    const last = pieces.at(-1);
    // the same again: a word in several places
    if (last && [0, 1].includes(position - last[1])) last[1] = position;
    else pieces.push([position, position]);
  }
  return pieces.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
}
