/** What commands print for a terminal, and how it reads without one. */

export const ESCAPE =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()*+][A-Za-z0-9]|.)/g;
// oxlint-disable-next-line no-control-regex -- as above
export const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** What a terminal would show of a line that was written over with carriage returns. */
export function lastOverwrite(line: string): string {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** As it would be read off the screen: no colours, and of a progress bar only its end. */
export function plainTerminalText(text: string): string {
  const written = text.replace(ESCAPE, '');
  const lines = written.includes('\r') ? written.split('\n').map(lastOverwrite).join('\n') : written;
  return lines.replace(CONTROL, '');
}
