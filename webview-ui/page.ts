/** The connection of a page in an editor tab to the host. */

/** Returns the function that posts to the host. */
export function openPage<Down, Up>(receive: (message: Down) => void): (message: Up) => void {
  const host = acquireVsCodeApi<null>();
  window.addEventListener('message', ({ data }: MessageEvent<Down>) => receive(data));
  return (message) => host.postMessage(message);
}
