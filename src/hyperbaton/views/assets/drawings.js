// SVG drawings of a segment: the links of two sentences, and the permutation tree. A drawing that is
// too wide is turned: the sentences then run down the page, one word per line.
//
// hyperbaton.views.drawings draws the same in Python, and its constants are declared before this
// file. The page does not contain those drawings: for three systems of WMT15 Finnish-English they
// take 22.9 MB, and the whole page takes 1.4 MB.

const SVG = "http://www.w3.org/2000/svg";
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g;

function svg(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, size = TEXT) {
  if (!widths.has(text)) {
    ruler.font = `100px ${FONT}`;
    widths.set(text, ruler.measureText(text).width / 100);
  }
  return widths.get(text) * size;
}

// Whether most letters belong to a right-to-left script.
function rightToLeft(text) {
  const backwards = (text.match(RIGHT_TO_LEFT) || []).length;
  return 2 * backwards > (text.match(/\p{L}/gu) || []).length;
}

// Converts coordinates along and across the sentence to x and y. A mirrored drawing starts at the
// right; the breadth is its extent across the sentence.
class Frame {
  constructor(length, turned, mirrored, breadth) {
    Object.assign(this, { turned, mirrored, width: turned ? breadth : length });
  }
  point(along, across) {
    const [x, y] = this.turned ? [across, along] : [along, across];
    return [this.mirrored ? this.width - x : x, y];
  }
  anchor(anchor) {
    if (!this.mirrored || anchor === "middle") return anchor;
    return anchor === "start" ? "end" : "start";
  }
  at(along, across) {
    return this.point(along, across)
      .map((value) => Math.round(100 * value) / 100)
      .join(" ");
  }
  box([start, end], [near, far], look) {
    const [[x1, y1], [x2, y2]] = [this.point(start, near), this.point(end, far)];
    const size = { width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
    const corner = { x: Math.min(x1, x2), y: Math.min(y1, y2) };
    return svg("rect", { ...corner, ...size, rx: 5, class: `hb-${look}` });
  }
}

function word([x, y], text, look = "ink", anchor = "middle", size = TEXT, mirrored = false) {
  const backwards = rightToLeft(text) || (mirrored && !/[\p{L}\p{N}]/u.test(text));
  if (backwards && anchor !== "middle") anchor = anchor === "start" ? "end" : "start";
  const more = { "text-anchor": anchor, direction: backwards ? "rtl" : undefined };
  const place = { x, y: y + size * 0.35, class: `hb-${look}` };
  return svg("text", { ...place, ...more, "font-size": size === TEXT ? undefined : size }, text);
}

// The width in pixels from which drawings are turned; on wide pages it is that of Python's drawings.
const maxWidth = () => Math.min(MAX_WIDTH, document.documentElement.clientWidth - 88);

const path = (d, look = "line") => svg("path", { d, class: `hb-${look}` });
// The word with a suffix, shortened before the suffix if it is very long.
function clipWord(text, suffix = "") {
  const most = MAX_WORD_LENGTH - suffix.length;
  const letters = [...text];
  return (letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`) + suffix;
}
// Moves of punctuation alone are pale.
const moveLook = (moves, k) => (moves[k].pale ? "move-pale" : `move${k % MOVE_COLOURS}`);

function finishDrawing(width, height, marks, title, mirrored) {
  [width, height] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const inner = svg("g", { transform: `translate(${MARGIN} ${MARGIN})` }, ...marks);
  const named = svg("title", {}, title);
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const paper = svg("rect", { class: "hb-paper", width, height });
  const drawing = { class: "hb-drawing", role: "img", direction: "ltr", ...size };
  return svg("svg", { ...drawing, "data-mirrored": mirrored || undefined }, named, paper, inner);
}

// The number of the move of each word that moves, innermost blocks winning. Side 0 is the system,
// side 1 the reference.
function movesByWord(places, moves, side) {
  const moveOf = new Map();
  moves.forEach((move, number) => {
    for (const place of places.slice(...move.span)) moveOf.set(place[side], number);
  });
  return moveOf;
}

const isReversed = (mark) => mark.pair >= CLEAR;

// Sets where each word starts and ends; gaps with marks are wider.
function placeRow(row, sizeOf, gap, marks) {
  const room = new Map(
    marks.map((mark) => [mark.gap, isReversed(mark) ? REVERSED_ROOM : BREAK_ROOM]),
  );
  let end = -gap;
  row.forEach((item, k) => {
    item.start = end + gap + (room.get(k) || 0);
    item.end = end = item.start + sizeOf(item);
  });
}

function nameGap(gap, words) {
  if (gap === 0) return `before “${words[0]}”`;
  if (gap === words.length) return `after “${words[gap - 1]}”`;
  return `between “${words[gap - 1]}” and “${words[gap]}”`;
}

// In which shade a mark is drawn, from 0 (pale).
const shadeOf = ({ strength }) => SHADES.filter((bound) => Math.round(10 * strength) >= bound).length;

function describeMark({ gap, step, pair, strength }, words) {
  const losses = [];
  if (step) losses.push(`break ${step.toFixed(1)}`);
  if (pair) losses.push(`${REVERSED_MEANING} ${pair.toFixed(1)}`);
  if (strength) losses.push(`strength ${strength.toFixed(1)}`);
  return `${nameGap(gap, words)}: ${losses.join(", ")}`;
}

// The path of a shape around a point.
const outline = (frame, along, across, corners) =>
  `M${corners.map(([a, b]) => frame.at(along + a, across + b)).join("L")}Z`;

const rectangle = (a, b) => [[-a, -b], [a, -b], [a, b], [-a, b]];

// The mark of a gap: a bar whose length shows the loss, or two arrows. Its shade and its thickness
// show the strength.
function gapMark(frame, along, across, mark) {
  const thickness = THICKNESS[shadeOf(mark)];
  const arrow = (sign) => ARROW.map(([a, b]) => [sign * a, sign * thickness * (b - 3.5)]);
  const shapes = isReversed(mark)
    ? [arrow(1), arrow(-1)]
    : [rectangle(thickness, 2 + 7 * mark.step)];
  const d = shapes.map((shape) => outline(frame, along, across, shape)).join("");
  return path(d, `shade${shadeOf(mark)}-ink`);
}

// The marks of a row, each with a tooltip and with room to point at.
function gapMarks(frame, row, marks, edge, side) {
  const margin = frame.turned ? 0 : GAP;
  const ends = [-margin, ...row.map((item) => item.end)];
  const starts = [...row.map((item) => item.start), ends[row.length] + margin + BREAK_ROOM];
  const middle = edge + (side * LINE) / 2;
  const words = row.map((item) => item.text);
  return marks.map((mark) => {
    const center = (ends[mark.gap] + starts[mark.gap]) / 2;
    const corners = outline(frame, center, middle, rectangle(GAP / 2 + PAD, LINE / 2));
    const area = svg("path", { d: corners, fill: "none", "pointer-events": "all" });
    const drawn = gapMark(frame, center, middle, mark);
    return svg("g", {}, svg("title", {}, describeMark(mark, words)), area, drawn);
  });
}

// Examples of the marks that there are, and what they mean.
function legendOf(marks) {
  const example = (pair, strength = 0.5) => ({ step: 0.5, pair, strength });
  const lines = [
    [[example(0)], BREAK_MEANING],
    [[example(1)], REVERSED_MEANING],
  ].filter(([[shown]]) => marks.some((mark) => isReversed(mark) === isReversed(shown)));
  const shades = [0, 0.5, 1].map((strength) => example(0, strength));
  return lines.length ? [...lines, [shades, SHADE_MEANING]] : [];
}

function drawAlignment({ words, links, marks, places, moves }) {
  const names = ["system", "reference"];
  const rows = words.map((sideWords, side) => {
    const moveOf = movesByWord(places, moves, side);
    const linked = new Set(links.map((link) => link[side]));
    return sideWords.map((text, k) => ({
      text: clipWord(text),
      look: linked.has(k) ? "ink" : "quiet",
      move: moveOf.get(k),
      width: textWidth(clipWord(text)) + 2 * PAD,
    }));
  });
  rows.forEach((row, side) => placeRow(row, (item) => item.width, GAP, marks[side]));
  const longestRow = () => Math.max(0, ...rows.map((row) => row.at(-1)?.end || 0));
  const legend = legendOf(marks.flat());
  const legendWidth = Math.max(0, ...legend.map(([, text]) => LEGEND_MARK + textWidth(text, SMALL)));
  let length = Math.max(
    longestRow(),
    legendWidth,
    ...names.map((name) => textWidth(name)),
    textWidth("no word is linked"),
  );
  const turned = length > maxWidth();
  const longest = Math.max(...rows.map((row) => row.length));
  let breadths = [LINE, LINE];
  if (turned) {
    rows.forEach((row, side) => placeRow(row, () => LINE, 0, marks[side]));
    length = longestRow() || LINE;
    breadths = rows.map((row, side) =>
      Math.max(PAD + textWidth(names[side], SMALL), ...row.map((item) => item.width)),
    );
  }
  // lines between long columns need more room to stay distinguishable
  const comfortable = LINK_SPACE * 1.5 + Math.min(140, 2 * longest);
  const room = Math.max(56, maxWidth() - breadths[0] - breadths[1]);
  const between = turned ? Math.min(comfortable, room) : LINK_SPACE;
  const edges = [breadths[0], breadths[0] + between];
  const across = breadths[0] + between + breadths[1];
  const width = turned ? Math.max(across, legendWidth) : length;
  const frame = new Frame(length, turned, rightToLeft(words.flat().join("")), width);
  const drawn = [];
  rows.forEach((row, index) => {
    const side = index ? 1 : -1;
    const edge = edges[index];
    const anchor = frame.anchor(turned && side < 0 ? "end" : "start");
    for (const item of row) {
      const far = edge + side * (turned ? item.width : LINE);
      const extent = turned ? [item.start + 1, item.end - 1] : [item.start, item.end];
      if (item.move !== undefined) drawn.push(frame.box(extent, [edge, far], moveLook(moves, item.move)));
      const middle = (item.start + item.end) / 2;
      drawn.push(
        turned
          ? word(frame.point(middle, edge + side * PAD), item.text, item.look, anchor)
          : word(
              frame.point(middle, (edge + far) / 2),
              item.text,
              item.look,
              "middle",
              TEXT,
              frame.mirrored,
            ),
      );
    }
    if (!row.length) {
      const at = frame.point(turned ? LINE / 2 : PAD, edge + (side * LINE) / 2);
      drawn.push(word(at, "(no words)", "quiet", anchor));
    }
    drawn.push(...gapMarks(frame, row, marks[index], edge, side));
    const beside = side < 0 ? -CAPTION / 2 : across + CAPTION / 2;
    const caption = turned
      ? frame.point(-CAPTION / 2, edge + side * PAD)
      : frame.point(PAD, beside);
    drawn.push(word(caption, names[index], "quiet", anchor, SMALL));
  });
  const moveOf = movesByWord(places, moves, 1);
  const [near, far] = [edges[0] + 2, edges[1] - 2];
  const bend = (far - near) * 0.4;
  for (const [h, r] of links) {
    const [a, b] = [rows[0][h], rows[1][r]].map((item) => (item.start + item.end) / 2);
    const curve = `${frame.at(a, near + bend)} ${frame.at(b, far - bend)} ${frame.at(b, far)}`;
    const look = moveOf.has(r) ? `${moveLook(moves, moveOf.get(r))}-line` : "line";
    drawn.push(path(`M${frame.at(a, near)}C${curve}`, look));
  }
  if (!links.length) {
    drawn.unshift(
      word(frame.point(length / 2, (edges[0] + edges[1]) / 2), "no word is linked", "quiet"),
    );
  }
  let height = turned ? length + (legend.length && GAP + BREAK_ROOM) : across + CAPTION;
  for (const [examples, text] of legend) {
    const middle = height + LEGEND_LINE / 2;
    const row = new Frame(width, false, frame.mirrored);
    examples.forEach((mark, k) => {
      const shift = LEGEND_STEP * (k - (examples.length - 1) / 2); // bars stand side by side
      const [x] = row.point(LEGEND_MARK / 2 + (turned ? 0 : shift), middle);
      const at = turned ? [middle + shift, x] : [x, middle];
      drawn.push(gapMark(new Frame(0, turned), ...at, mark));
    });
    const meaning = row.point(LEGEND_MARK, middle);
    drawn.push(word(meaning, text, "quiet", row.anchor("start"), SMALL));
    height += LEGEND_LINE;
  }
  const moved = svg("g", { transform: `translate(0 ${CAPTION})` }, ...drawn);
  return finishDrawing(width, height + CAPTION, [moved], "word alignment", frame.mirrored);
}

function wrapWords(words, width) {
  const lines = [];
  for (const text of words.map((word) => clipWord(word))) {
    const last = lines.length - 1;
    if (lines.length && textWidth(`${lines[last]} ${text}`) <= width) lines[last] += ` ${text}`;
    else lines.push(text);
  }
  return lines.length ? lines : [""];
}

// Sets the extent of each shape along the sentence (from, to) and the point that lines meet (anchor).
function extents(shapes, turned) {
  const between = turned ? 4 : LEAF_GAP;
  const inner = (shape) =>
    shape.children.reduce((sum, child) => sum + child.needed + between, -between);
  for (const shape of [...shapes].reverse()) {
    const labelSize = turned ? LINE : textWidth(shape.label) + 2 * PAD;
    if (shape.children.length) {
      shape.needed = Math.max(inner(shape), labelSize);
      continue;
    }
    shape.lines = wrapWords(shape.words, LEAF_WIDTH * (turned ? 2.2 : 1));
    const texts = Math.max(...shape.lines.map((line) => textWidth(line))) + 2 * PAD;
    shape.needed = turned ? LINE + NEXT_LINE * (shape.lines.length - 1) : Math.max(texts, labelSize);
  }
  [shapes[0].from, shapes[0].to] = [0, shapes[0].needed];
  for (const shape of shapes) {
    let start = shape.from + (shape.to - shape.from - inner(shape)) / 2;
    for (const child of shape.children) {
      [child.from, child.to] = [start, start + child.needed];
      start = child.to + between;
    }
  }
  for (const shape of [...shapes].reverse()) {
    const { children } = shape;
    const ends = children.length
      ? [children[0].anchor, children[children.length - 1].anchor]
      : [shape.from, shape.to];
    shape.anchor = (ends[0] + ends[1]) / 2;
  }
  return shapes[0].to;
}

function drawTree(shapes, words, moves) {
  const leaves = shapes.filter((shape) => !shape.children.length);
  const inner = shapes.filter((shape) => shape.children.length);
  let length = extents(shapes, false);
  const turned = length > maxWidth();
  if (turned) length = extents(shapes, true);
  const highest = shapes[0].height;
  const most = (values) => Math.max(0, ...values);
  const level = turned ? most(inner.map((shape) => textWidth(shape.label))) + 30 : LEVEL;
  const numbers = turned ? most(leaves.map((shape) => textWidth(shape.label, SMALL))) : SMALL + 6;
  const depth = turned
    ? most(leaves.flatMap((shape) => shape.lines.map((line) => textWidth(line)))) +
      numbers +
      4 * PAD
    : LINE / 2 + (most(leaves.map((shape) => shape.lines.length)) - 1) * NEXT_LINE + numbers;
  const across = (height) => (highest - height) * level + (turned ? 0 : LINE / 2);
  const whole = across(0) + depth;
  const frame = new Frame(length, turned, rightToLeft(words.join("")), whole);
  const start = frame.anchor("start");
  const top = (shape) => {
    const node = shape.children.length > 0;
    return across(shape.height) - (turned ? (node ? 3 : 0) : LINE / 2 - (node ? 0 : 2));
  };
  const bottom = (shape) => across(shape.height) + (turned ? textWidth(shape.label) + 4 : LINE / 2);

  const marks = [];
  const badges = [];
  const numbersOf = new Map(moves.map((move, k) => [String(move.span), k]));
  for (const shape of shapes) {
    const number = numbersOf.get(`${shape.start},${shape.end}`);
    if (number === undefined) continue;
    const pad = Math.min(2 + shape.height, 6);
    const along = turned ? [shape.from - 1, shape.to + 1] : [shape.from - pad, shape.to + pad];
    const sides = turned
      ? [across(shape.height) - PAD - pad, whole + pad - PAD]
      : [across(shape.height) - LINE / 2, whole + pad];
    const look = moveLook(moves, number);
    marks.push(frame.box(along, sides, look));
    const [cx, cy] = frame.point(turned ? shape.anchor : along[0] + 1, sides[0]);
    badges.push(svg("circle", { cx, cy, r: 8, class: `hb-${look}` }));
    badges.push(word([cx, cy], `${number + 1}`, `${look}-ink`, "middle", SMALL));
  }
  for (const shape of inner) {
    const bus = across(shape.height) + (turned ? level - 14 : LINE / 2 + (level - LINE) / 2);
    const ends = [shape.children[0], shape.children[shape.children.length - 1]];
    let steps = `M${frame.at(shape.anchor, bottom(shape))}L${frame.at(shape.anchor, bus)}`;
    steps += `M${frame.at(ends[0].anchor, bus)}L${frame.at(ends[1].anchor, bus)}`;
    for (const child of shape.children) {
      steps += `M${frame.at(child.anchor, bus)}L${frame.at(child.anchor, top(child))}`;
    }
    marks.push(path(steps));
  }
  for (const shape of inner) {
    const at = frame.point(shape.anchor, across(shape.height));
    marks.push(word(at, shape.label, shape.inOrder ? "quiet" : "ink", turned ? start : "middle"));
  }
  const leafAt = across(0);
  for (const shape of leaves) {
    shape.lines.forEach((line, k) => {
      const y = shape.from + LINE / 2 + k * NEXT_LINE;
      if (!turned) {
        const at = frame.point(shape.anchor, leafAt + k * NEXT_LINE);
        marks.push(word(at, line, "ink", "middle", TEXT, frame.mirrored));
      } else if (rightToLeft(line) && !frame.mirrored) {
        marks.push(word([whole - PAD, y], line, "ink", "end"));
      } else {
        const at = frame.point(y, leafAt + numbers + 2 * PAD);
        marks.push(word(at, line, "ink", start, TEXT, frame.mirrored));
      }
    });
    const below = leafAt + (shape.lines.length - 1) * NEXT_LINE + LINE / 2 + SMALL / 2;
    marks.push(
      turned
        ? word(frame.point(shape.from + LINE / 2, leafAt + PAD), shape.label, "quiet", start, SMALL)
        : word(frame.point(shape.anchor, below), shape.label, "quiet", "middle", SMALL),
    );
  }
  const [width, height] = turned ? [whole, length] : [length, whole];
  return finishDrawing(
    width,
    height,
    [...marks, ...badges],
    `permutation tree of ${words.length} words`,
    frame.mirrored,
  );
}
