/** Colours by number or RGB value, and readable text colours for them. */

export type Rgb = readonly [red: number, green: number, blue: number];

/** A colour: the name of one of the theme's sixteen colours, or an RGB value. */
export type AnsiColour = string | Rgb;

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Returns the name of one of the eight colours (0–7) or their bright variants (8–15). */
export function themeColour(index: number): string {
  return `${index >= 8 ? 'bright-' : ''}${NAMES[index % 8]}`;
}

/**
 * Returns one of the 256 terminal colours: those of the theme, a cube of 6 × 6 × 6, and greys. Returns `undefined` for
 * another index.
 */
export function indexedColour(index: number): AnsiColour | undefined {
  if (!isByte(index)) return undefined;
  if (index < 16) return themeColour(index);
  if (index >= 232) return [8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)];
  const level = (step: number) => (step % 6 === 0 ? 0 : 55 + 40 * (step % 6));
  const colour = index - 16;
  return [level(Math.floor(colour / 36)), level(Math.floor(colour / 6)), level(colour)];
}

/** Returns a colour by its parts; `undefined` unless each part is a byte. */
export function mixedColour(red: number, green: number, blue: number): AnsiColour | undefined {
  return [red, green, blue].every(isByte) ? [red, green, blue] : undefined;
}

function isByte(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 255;
}

/** Returns the colour for CSS, `#rrggbb`. */
export function hex(rgb: Rgb): string {
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/**
 * Returns a text colour that is readable on this ground: the ink itself, or else a mixture with black or white; without
 * an ink, black or white.
 */
export function readableOn(ground: Rgb, ink?: Rgb): Rgb {
  const safe = contrast(ground, WHITE) > contrast(ground, BLACK) ? WHITE : BLACK;
  if (ink === undefined) return safe;
  for (const part of [1, 0.75, 0.5, 0.25]) {
    const mixed = mix(ink, safe, part);
    if (contrast(ground, mixed) >= READABLE) return mixed;
  }
  return safe;
}

function mix(one: Rgb, other: Rgb, part: number): Rgb {
  const of = (channel: 0 | 1 | 2) => Math.round(one[channel] * part + other[channel] * (1 - part));
  return [of(0), of(1), of(2)];
}

/** Returns the contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
