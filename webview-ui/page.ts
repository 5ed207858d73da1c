/** The connection of a page in an editor tab to the host. Call once per page. */

/** Returns the function that posts to the host. */
export function openPage<Down, Up>(receive: (message: Down) => void): (message: Up) => void {
  const host = acquireVsCodeApi<null>();
  window.addEventListener('message', ({ data }: MessageEvent<Down>) => receive(data));
  keepFocusedControl();
  return (message) => host.postMessage(message);
}

/**
 * VS Code takes the focus from the control and gives it to the body when it reveals a page that has the focus, as the
 * command of the page does: the next keys would be lost. Measured on 1.139.
 */
function keepFocusedControl(): void {
  let control: HTMLElement | undefined;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) control = target;
  });
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body && control?.isConnected) control.focus();
  });
}
