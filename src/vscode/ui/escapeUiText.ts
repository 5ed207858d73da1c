/** Texts of a model in VS Code's own controls, which would make pictures and links of some of them. */

/** In a list or a status item: `$(name)` stays as it is written. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** In a notification: `[words](command:…)` must not become something to click. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
