/** Texts of a model in VS Code's own controls, which would make pictures and links of some of them. */
import { visibleText } from '../protocol/visibleText.ts';

/** In a list or a status item: `$(name)` stays as it is written. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** In a notification: `[words](command:…)` must not become something to click. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}

/** The first line, cut where nobody would read on; what cannot be seen in it can. */
export function oneLine(text: string, length: number): string {
  const [line = '', ...more] = visibleText(text.trim()).split('\n');
  const cut = line.length > length || more.length > 0;
  return cut ? `${line.slice(0, length - 1)}…` : line;
}
