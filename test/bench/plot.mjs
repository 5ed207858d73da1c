// A plot of lines as SVG, readable on light and dark pages.
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [640, 320, 64, 48, 40, 16];
const COLOURS = { tiller: '#3b82f6', codex: '#d97706', pi: '#16a34a' };
const OTHERS = ['#3b82f6', '#d97706', '#16a34a', '#9333ea'];
const TICKS = 4;

/**
 * `series`: [{ name, points: [[x, y], …] }]; y begins at 0. `logX`: for sizes that grow by factors. Returns undefined
 * without two points.
 */
export function plot({ title, x, y, series, logX = false }) {
  const points = series.flatMap((line) => line.points);
  if (points.length < 2) return undefined;
  const scaled = (value) => (logX ? Math.log10(value) : value);
  const xs = points.map(([at]) => scaled(at));
  const [minX, maxX] = [Math.min(...xs), Math.max(...xs)];
  const maxY = Math.max(...points.map(([, value]) => value)) || 1;
  const place = ([at, value]) => [
    LEFT + ((scaled(at) - minX) / (maxX - minX || 1)) * (WIDTH - LEFT - RIGHT),
    HEIGHT - BOTTOM - (value / maxY) * (HEIGHT - BOTTOM - TOP),
  ];
  const text = (px, py, words, anchor = 'middle') =>
    `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const grid = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const value = (maxY * tick) / TICKS;
    const py = place([points[0][0], value])[1];
    const line = `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${py.toFixed(1)}" y2="${py.toFixed(1)}" stroke="#8886"/>`;
    return line + text(LEFT - 6, py + 4, figure(value), 'end');
  });
  const marks = [...new Set(points.map(([at]) => at))].toSorted((a, b) => a - b);
  const shown =
    marks.length <= 6 ? marks : [0, 0.25, 0.5, 0.75, 1].map((part) => marks[Math.round(part * (marks.length - 1))]);
  const labels = shown.map((at) => text(place([at, 0])[0], HEIGHT - BOTTOM + 16, at.toLocaleString('en-US')));
  const lines = series.map(({ name, points: own }, index) => {
    const colour = COLOURS[name] ?? OTHERS[index % OTHERS.length];
    const path = own
      .map((point) =>
        place(point)
          .map((value) => value.toFixed(1))
          .join(','),
      )
      .join(' ');
    const legend = LEFT + index * 130;
    return (
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>` +
      `<rect x="${legend}" y="24" width="12" height="4" fill="${colour}"/>${text(legend + 18, 30, name, 'start')}`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="#888">`,
    `<title>${escaped(title)}</title>`,
    text(LEFT, 16, `${title} (${y})`, 'start'),
    ...grid,
    ...labels,
    text((WIDTH + LEFT) / 2, HEIGHT - 8, x),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function figure(value) {
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

function escaped(words) {
  return String(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
