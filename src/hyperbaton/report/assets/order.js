// From links to permutation, tree and moves: what hyperbaton.order does in Python, for the segments
// that are looked at. Tests compare the two.

// Links (system word, reference word) of the runs that the data has.
function linksOf(runs) {
  const links = [];
  for (let k = 0; k < runs.length; k += 3) {
    for (let j = 0; j < runs[k + 2]; j++) links.push([runs[k] + j, runs[k + 1] + j]);
  }
  return links;
}

// What stands in each place of the permutation; a reference word counts where it comes first.
function placesOf(links) {
  const seen = new Set();
  return links.filter(([, r]) => !seen.has(r) && seen.add(r));
}

function permutationOf(places) {
  const sorted = places.map(([, r]) => r).sort((a, b) => a - b);
  const rank = new Map(sorted.map((r, k) => [r, k + 1]));
  return places.map(([, r]) => rank.get(r));
}

// The flattened permutation tree: a shift-reduce parser that reduces the least that it can. A node
// covers places [start, end) and values [low, high]; operator is null in a leaf, and of a chain
// that of two.
function treeOf(permutation) {
  const stack = [];
  permutation.forEach((value, k) => {
    let node = { start: k, end: k + 1, low: value, high: value, operator: null, children: [] };
    for (;;) {
      let { low, high } = node;
      let size = node.end - node.start;
      let first = stack.length;
      while (first > 0) {
        first--;
        low = Math.min(low, stack[first].low);
        high = Math.max(high, stack[first].high);
        size += stack[first].end - stack[first].start;
        if (high - low + 1 === size) break;
      }
      if (first === stack.length || high - low + 1 !== size) break;
      node = joined([...stack.splice(first), node], low, high);
    }
    stack.push(node);
  });
  return stack.length ? stack[0] : null;
}

function joined(children, low, high) {
  const operator = ranks(children.map((child) => child.low));
  const [first] = children;
  if (children.length === 2 && first.operator && String(first.operator) === String(operator)) {
    children = [...first.children, children[1]];
  }
  const end = children[children.length - 1].end;
  return { start: first.start, end, low, high, operator, children };
}

function ranks(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value) => sorted.indexOf(value) + 1);
}

// Which blocks move, the longest first: places [start, end) of block and anchor, and to which side.
function movesOf(tree) {
  const movers = [];
  const visit = (node) => {
    node.children.forEach(visit);
    const inOrder = node.children.every((c, k) => !k || node.children[k - 1].low < c.low);
    if (inOrder) return;
    const stay = heaviestIncreasing(node.children);
    const placed = [...stay];
    for (const child of node.children) {
      if (stay.includes(child)) continue;
      const below = stay.filter((one) => one.low < child.low).pop();
      movers.push({ child, right: below !== undefined && below.start > child.start, placed });
    }
  };
  if (tree) visit(tree);
  const length = ({ child }) => child.end - child.start;
  movers.sort((a, b) => length(b) - length(a) || a.child.start - b.child.start);
  return movers.map(({ child, right, placed }) => {
    const at = placed.filter((one) => one.low < child.low).length;
    const anchor = right ? placed[at - 1] : placed[at];
    placed.splice(at, 0, child);
    return {
      block: [child.start, child.end],
      anchor: [anchor.start, anchor.end],
      before: !right,
    };
  });
}

// Of the longest increasing subsequences one with the most words; of equals, that whose last child
// has the least value.
function heaviestIncreasing(children) {
  const better = (a, b) => a.count - b.count || a.words - b.words || b.child.low - a.child.low;
  const ends = [];
  for (const child of children) {
    let before = null;
    for (const end of ends) {
      if (end.child.low < child.low && (!before || better(end, before) > 0)) before = end;
    }
    const words = child.end - child.start;
    ends.push({
      child,
      before,
      count: 1 + (before ? before.count : 0),
      words: words + (before ? before.words : 0),
    });
  }
  let end = ends.reduce((a, b) => (better(b, a) > 0 ? b : a));
  const chosen = [];
  for (; end; end = end.before) chosen.unshift(end.child);
  return chosen;
}
