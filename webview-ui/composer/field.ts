/** The text field of the composer, for code that moves the focus by itself; a user's request counts `composerFocus`. */

/** `null` before the panel is rendered. */
export function composerField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('[data-testid="composer-input"]');
}

/** True if no element of the page has the focus, whether the page has it or not. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
