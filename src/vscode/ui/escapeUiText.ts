/** Escapes text for VS Code's own controls, which would render parts of it as icons and links. */

/** For a list or a status bar item: `$(name)` stays text. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** For a notification: `[text](command:…)` must not become a link. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
