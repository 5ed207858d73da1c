/** Converts terminal text to runs: keeps colours and weight, and drops every other escape sequence. */
import { CONTROL, ESCAPE } from '../../src/protocol/text/terminalText.ts';
import { type AnsiColour, hex, indexedColour, mixedColour, readableOn, themeColour } from './ansiColours.ts';
import { appendRun, type Look, type Run } from './runs.ts';

/** The attributes in effect at a position of a terminal's text. */
export interface AnsiStyle {
  /** `null`: the default colour. */
  readonly ink: AnsiColour | null;
  readonly ground: AnsiColour | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
}

export const PLAIN: AnsiStyle = { ink: null, ground: null, bold: false, dim: false, inverse: false };

/** Appends the runs of a text that begins in `style`. Returns the style at the end of the text. */
export function appendAnsi(runs: Run[], text: string, style: AnsiStyle): AnsiStyle {
  if (!text.includes('\u001b')) {
    appendRun(runs, text.replace(CONTROL, ''), lookOf(style));
    return style;
  }
  let current = style;
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    appendRun(runs, text.slice(from, match.index).replace(CONTROL, ''), lookOf(current));
    if (match[2] === 'm' && /^[\d;:]*$/.test(match[1] ?? '')) current = applyCodes(current, match[1] ?? '');
    from = match.index + match[0].length;
  }
  appendRun(runs, text.slice(from).replace(CONTROL, ''), lookOf(current));
  return current;
}

function lookOf(style: AnsiStyle): Look {
  const bold = style.bold ? ' a-bold' : '';
  const ground = style.inverse ? (style.ink ?? 'ink') : style.ground;
  const ink = style.inverse ? style.ground : style.ink;
  // If the background is a colour of the theme, the style sheet selects a readable text colour.
  if (typeof ground === 'string') return { ink: `a-on a-on-${ground}${bold}` };
  if (ground !== null) {
    const readable = readableOn(ground, typeof ink === 'object' && ink !== null ? ink : undefined);
    return { ink: `a-mixed-ground${bold}`, paint: { ink: hex(readable), ground: hex(ground) } };
  }
  if (typeof ink === 'object' && ink !== null) return { ink: `a-mixed${bold}`, paint: { ink: hex(ink) } };
  const isDim = style.dim || ink === 'bright-black';
  const name = ink === null || ink === 'bright-black' ? '' : `a-${ink.replace('bright-', '')}`;
  return { ink: `${name}${bold}${isDim ? ' a-dim' : ''}`.trim() };
}

/**
 * Returns the style after a sequence of codes. Semicolons separate codes; the arguments of a code follow it in the same
 * way, or are joined to it by colons (ITU-T T.416).
 */
function applyCodes(style: AnsiStyle, codes: string): AnsiStyle {
  const parameters = codes.split(';');
  let next = style;
  for (let index = 0; index < parameters.length; index++) {
    const [code = 0, ...own] = (parameters[index] ?? '').split(':').map(Number);
    if (code !== 38 && code !== 48 && code !== 58) {
      // `4:0` switches an underline off: its 0 must not be read as the code 0, which resets all attributes.
      next = applyCode(next, code);
      continue;
    }
    const behind = parameters.slice(index + 1, index + 5).map(Number);
    const colour = own.length > 0 ? colourOf(own.length > 4 ? own.toSpliced(1, 1) : own) : colourOf(behind);
    if (own.length === 0) index += behind[0] === 5 ? 2 : behind[0] === 2 ? 4 : 0;
    if (colour !== undefined && code !== 58) next = { ...next, [code === 38 ? 'ink' : 'ground']: colour };
  }
  return next;
}

function colourOf([kind, one = NaN, green = NaN, blue = NaN]: readonly number[]): AnsiColour | undefined {
  if (kind === 5) return indexedColour(one);
  return kind === 2 ? mixedColour(one, green, blue) : undefined;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 27) return { ...style, inverse: false };
  if (code === 39) return { ...style, ink: null };
  if (code === 49) return { ...style, ground: null };
  if (code >= 30 && code <= 37) return { ...style, ink: themeColour(code - 30) };
  if (code >= 40 && code <= 47) return { ...style, ground: themeColour(code - 40) };
  if (code >= 90 && code <= 97) return { ...style, ink: themeColour(code - 82) };
  if (code >= 100 && code <= 107) return { ...style, ground: themeColour(code - 92) };
  return style;
}
