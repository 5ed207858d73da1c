/** Connects a page in an editor tab to the host. Call once per page. */

/** Passes the messages of the host to `receive`. Returns the function that posts messages to the host. */
export function openPage<Down, Up>(receive: (message: Down) => void): (message: Up) => void {
  const host = acquireVsCodeApi<null>();
  window.addEventListener('message', ({ data }: MessageEvent<Down>) => receive(data));
  keepFocusedControl();
  return (message) => host.postMessage(message);
}

/**
 * Restores the focus of a control. When a command reveals a page that already has the focus, VS Code moves the focus
 * from the control to the body, and the next keys would be lost. Measured on 1.139.
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
