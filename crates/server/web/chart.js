// Figures → a small drawing with its axes, a sentence that says the gist, and the same figures as a table. What a colour tells,
// a shape tells, too: full or hollow, whole or dashed.

import { drawn, element, styled, table } from "./dom.js";

const [WIDTH, HEIGHT, ROW] = [340, 172, 34];
const BOX = { left: 50, right: 330, top: 12, bottom: 148 };

const across = (share) => BOX.left + share * (BOX.right - BOX.left);
const up = (share) => BOX.bottom - share * (BOX.bottom - BOX.top);

export const percent = (share) => (Number.isFinite(share) ? `${(share * 100).toFixed(1)}\u00a0%` : "–");

/** A time of the server, to the minute. */
export const minute = (time) => time.slice(0, 16).replace("T", " ");

/** The heading, the drawing, its legend of `[words, tone]`, and the figures to be read or copied. */
export function chart({ title, gist, nodes, height = HEIGHT, legend, head, rows }) {
  const drawing = drawn("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${title}. ${gist}` }, ...nodes);
  const keys = legend.map(([words, tone]) => element("span", swatch(tone), ` ${words}`));
  const figures = element("details", element("summary", "As a table"), table(`${title}, as a table`, head, rows));
  return styled("figure", "chart", element("h3", title), drawing, styled("p", "legend small", ...keys), figures);
}

function swatch(tone) {
  const shape = tone.startsWith("line") ? drawn("path", { d: "M0 6H24", class: tone }) : drawn("rect", { x: 1, y: 1, width: 22, height: 10, class: tone });
  return drawn("svg", { viewBox: "0 0 24 12", class: "swatch", "aria-hidden": "true" }, shape);
}

/** The first round figure that is not below this one. */
export function roundUp(figure) {
  if (!(figure > 0)) return 1;
  const ten = 10 ** Math.floor(Math.log10(figure));
  return [1, 2, 3, 4, 6, 8, 10].map((one) => one * ten).find((one) => one >= figure * 0.999999);
}

/** Lines to read heights by, where `write` has words for them, and words below at shares of the width. */
export function axes(top, write, below) {
  const heights = [0, 0.5, 1].filter((share) => write(share * top)).flatMap((share) => [
    drawn("line", { x1: BOX.left, x2: BOX.right, y1: up(share), y2: up(share), class: "grid" }),
    drawn("text", { x: BOX.left - 6, y: up(share) + 4, "text-anchor": "end" }, write(share * top)),
  ]);
  const anchor = (share) => (share === 0 ? "start" : share === 1 ? "end" : "middle");
  return [...heights, ...below.map(([share, words]) => drawn("text", { x: across(share), y: HEIGHT - 6, "text-anchor": anchor(share) }, words))];
}

/** Columns of stacked parts; `stacks` are lists of `[tone, figure]`, the lowest first. */
export function columns(stacks, top) {
  const width = (BOX.right - BOX.left) / stacks.length;
  return stacks.flatMap((parts, place) => {
    let from = 0;
    return parts.filter(([, figure]) => figure > 0).map(([tone, figure]) => {
      const height = up(0) - up(figure / top);
      from += figure / top;
      return drawn("rect", { x: BOX.left + (place + 0.1) * width, y: up(from), width: width * 0.8, height, class: tone });
    });
  });
}

/** A line through points, each two shares; it breaks where there is none. */
export function line(points, tone) {
  const path = points.map((point, at) => (point ? `${points[at - 1] ? "L" : "M"}${across(point[0])} ${up(point[1])}` : ""));
  const dots = points.filter(Boolean).map(([x, y]) => drawn("circle", { cx: across(x), cy: up(y), r: 2.2, class: tone.replace("line", "point") }));
  return [drawn("path", { d: path.join(""), class: tone }), ...dots];
}

/** A ring, and how it is moved; it is hidden where there is no point. */
export function ring() {
  const node = drawn("g", {}, drawn("circle", { r: 6, class: "ring" }));
  const move = (point) => {
    node.setAttribute("visibility", point ? "visible" : "hidden");
    if (point) node.setAttribute("transform", `translate(${across(point[0])} ${up(point[1])})`);
  };
  return { node, move };
}

/** Bars that lie, `[words, figure]` each, and the height that they take. */
export function bars(list) {
  const most = Math.max(...list.map(([, figure]) => figure));
  const nodes = list.flatMap(([words, figure], place) => {
    const width = (figure / most) * (WIDTH - 60);
    return [
      drawn("text", { y: place * ROW + 13 }, words),
      drawn("rect", { y: place * ROW + 18, width, height: 10, class: "full" }),
      drawn("text", { x: width + 6, y: place * ROW + 27 }, figure),
    ];
  });
  return { nodes, height: list.length * ROW };
}
