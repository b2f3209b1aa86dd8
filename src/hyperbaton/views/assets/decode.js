// Decodes the links, marks, trees and moves of a segment. Python computes and encodes them, so that
// they exist once (see hyperbaton.views.segments).

// Links (system word, reference word) of runs (system word, reference word, number of links).
function decodeLinks(runs) {
  const links = [];
  for (let k = 0; k < runs.length; k += 3) {
    for (let j = 0; j < runs[k + 2]; j++) links.push([runs[k] + j, runs[k + 1] + j]);
  }
  return links;
}

// The losses by gap of a code such as "8bX": digits are tenths, X is 1, and letters are gaps without
// a loss. A gap is the number of the word after it.
function decodeLosses(code) {
  const losses = new Map();
  let gap = 0;
  for (const c of code) {
    if (c >= "a") gap += c.charCodeAt(0) - 96;
    else losses.set(gap++, c === "X" ? 1 : c / 10);
  }
  return losses;
}

// The marks of both sentences: the losses of the step over a gap and of the pair around it, and the
// larger strength of the two words beside it.
function decodeMarks(code) {
  const parts = [...code.split("/"), "", "", "", ""].map(decodeLosses);
  const [steps, referenceSteps, pairs, strengths, referenceStrengths] = parts;
  return [
    [steps, pairs, strengths],
    [referenceSteps, new Map(), referenceStrengths],
  ].map(([step, pair, strong]) =>
    [...new Set([...step.keys(), ...pair.keys()])]
      .sort((a, b) => a - b)
      .map((gap) => ({
        gap,
        step: step.get(gap) || 0,
        pair: pair.get(gap) || 0,
        strength: Math.max(strong.get(gap - 1) || 0, strong.get(gap) || 0),
      }))
      .filter((mark) => mark.step || isReversed(mark)),
  );
}

// The number of neighbours in a permutation of 0, 1, ... that are not neighbours in that order; the
// sentence begins before 0 and ends after the last one.
const countBreaks = (ranks) =>
  [...ranks, ranks.length].filter((rank, k) => rank !== (k ? ranks[k - 1] : -1) + 1).length;

// What two systems share of a segment, from the anchors of both: for each reference the number of its
// words, the number of anchors, and their positions in the system's order. The reference with most
// shared anchors counts, and the difference of the neighbours kept is multiplied by their number, as
// in hyperbaton.softorder.anchors.
function shareAnchors(a, b) {
  let most = { reference: 0, weight: 0, difference: 0 };
  for (let reference = 0, i = 0, j = 0; i < a.length; reference++) {
    const sides = [a.slice(i + 2, i + 2 + a[i + 1]), b.slice(j + 2, j + 2 + b[j + 1])];
    [i, j] = [i + 2 + a[i + 1], j + 2 + b[j + 1]];
    const other = new Set(sides[1]);
    const shared = sides[0].filter((position) => other.has(position)).sort((p, q) => p - q);
    const weight = shared.length;
    if (weight <= most.weight) continue;
    const ranks = new Map(shared.map((position, k) => [position, k]));
    const [ofA, ofB] = sides.map((side) =>
      countBreaks(side.map((position) => ranks.get(position)).filter((rank) => rank !== undefined)),
    );
    const difference = weight < 2 ? 0 : (weight * (ofB - ofA)) / (weight + 1);
    most = { reference, weight, difference };
  }
  return most;
}

// The link at each place of the permutation: that of each reference word with the first system word.
function placesOf(links) {
  const seen = new Set();
  return links.filter(([, r]) => !seen.has(r) && seen.add(r));
}

// The word at each place; a word that is linked to several reference words is shown with each, and
// with their positions if these are equal.
function placeWords(words, places) {
  const referencesOf = new Map(places.map(([h]) => [h, []]));
  for (const [h, r] of places) referencesOf.get(h).push(words[1][r]);
  return places.map(([h, r]) => {
    const references = referencesOf.get(h);
    if (references.length === 1) return words[0][h];
    const equal = references.filter((text) => text === words[1][r]).length;
    const word = `${words[0][h]}/${words[1][r]}`;
    return equal > 1 ? clipWord(word, `(${r})`) : word;
  });
}

// Inclusive ranges such as "2-4" or "7".
function decodeRange(code) {
  const [first, last = first] = code.split("-").map(Number);
  return [first, last];
}

// The nodes and leaves of a tree such as "3×+[1-2;-[6-7;3-5];8]", each before its children. A leaf
// is a range of values, and the places of its words follow those of the leaf before it.
function decodeTree(code, placedWords) {
  const shapes = [];
  const ancestors = [];
  let place = 0;
  for (const [, label, bracket] of code.matchAll(/([^;[\]]+)(\[?)|\]/g)) {
    if (label === undefined) {
      const node = ancestors.pop();
      node.end = place;
      node.height = 1 + Math.max(...node.children.map((child) => child.height));
      continue;
    }
    const shape = { label, start: place, words: [], children: [], height: 0, inOrder: true };
    ancestors.at(-1)?.children.push(shape);
    shapes.push(shape);
    if (bracket) {
      shape.label = label.replace("+", "⟨1,2⟩").replace("-", "⟨2,1⟩");
      shape.inOrder = label.endsWith("+");
      ancestors.push(shape);
    } else {
      const [first, last] = decodeRange(label);
      shape.label = label.replace("-", "–");
      place += last - first + 1;
      shape.end = place;
      shape.words = placedWords.slice(shape.start, place);
    }
  }
  return shapes;
}

// A move: the span of the places that move, how far it goes, and the parts of the sentence that
// describes it. The block goes to the left if it goes before its anchor.
// An empty quote of the block stands for the whole span.
function decodeMove([start, end, before, block, anchor, distance], placedWords) {
  return {
    span: [start, end],
    before,
    distance,
    block: decodeQuote(block || `${start}-${end - 1}`, placedWords),
    anchor: decodeQuote(anchor, placedWords),
  };
}

// The words of a quote such as "0-2…4@0–2 … 4", and the positions after the @, if any.
function decodeQuote(code, placedWords) {
  const [runs, positions] = code.split("@");
  const words = (run) =>
    run.split(",").flatMap((range) => {
      const [first, last] = decodeRange(range);
      return placedWords.slice(first, last + 1).map((word) => clipWord(word));
    });
  return {
    text: runs
      .split("…")
      .map((run) => words(run).join(" "))
      .join(" … "),
    suffix: positions ? ` (${positions})` : "",
  };
}
