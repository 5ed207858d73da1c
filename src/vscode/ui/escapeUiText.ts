/** Escapes text for VS Code's own controls, which would render parts of it as icons and links. */

/** Escapes a text for a list or a status bar item: `$(name)` stays text. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/**
 * Escapes Markdown of a model: `![text](https://…)` becomes a link, because VS Code would load the image from there.
 */
export function withoutImages(text: string): string {
  return text.replaceAll('![', '!\u200b[');
}

/** Escapes a text for a notification: `[text](command:…)` must not become a link. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
