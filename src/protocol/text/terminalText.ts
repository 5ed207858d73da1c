/** Converts terminal output of commands to plain text. */

export const ESCAPE =
  // oxlint-disable-next-line no-control-regex -- it searches for control characters
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()*+][A-Za-z0-9]|.)/g;
// oxlint-disable-next-line no-control-regex -- as above
export const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** Returns the visible part of a line that was overwritten with carriage returns. */
export function lastOverwrite(line: string): string {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** Returns the text as it appears on the screen: without colours, and with only the final state of a progress bar. */
export function plainTerminalText(text: string): string {
  const written = text.replace(ESCAPE, '');
  const lines = written.includes('\r') ? written.split('\n').map(lastOverwrite).join('\n') : written;
  return lines.replace(CONTROL, '');
}
