/** Terminal text as runs: colours and weight survive, every other escape is dropped. */
import { CONTROL, ESCAPE } from '../../src/protocol/terminalText.ts';
import { appendRun, type Run } from './runs.ts';

/** What is switched on at some place of a terminal's text. */
export interface AnsiStyle {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

export const PLAIN: AnsiStyle = { colour: '', bold: false, dim: false };

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Reads one stretch that starts in `style`; returns the style it ends in. */
export function appendAnsi(runs: Run[], text: string, style: AnsiStyle): AnsiStyle {
  if (!text.includes('\u001b')) {
    appendRun(runs, text.replace(CONTROL, ''), inkOf(style));
    return style;
  }
  let current = style;
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    appendRun(runs, text.slice(from, match.index).replace(CONTROL, ''), inkOf(current));
    if (match[2] === 'm' && /^[\d;:]*$/.test(match[1] ?? '')) current = applyCodes(current, match[1] ?? '');
    from = match.index + match[0].length;
  }
  appendRun(runs, text.slice(from).replace(CONTROL, ''), inkOf(current));
  return current;
}

function inkOf({ colour, bold, dim }: AnsiStyle): string {
  return [colour && `a-${colour}`, bold && 'a-bold', dim && 'a-dim'].filter(Boolean).join(' ');
}

function applyCodes(style: AnsiStyle, codes: string): AnsiStyle {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    // 38;5;n and 38;2;r;g;b name colours of no theme: the ink stays as it is.
    if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: '' };
  if (code === 90) return { ...style, colour: '', dim: true };
  if (code >= 30 && code <= 37) return { ...style, colour: COLOURS[code - 30] ?? '' };
  if (code >= 91 && code <= 97) return { ...style, colour: COLOURS[code - 90] ?? '' };
  return style;
}
