/** The door of a page in an editor tab: what the host says comes in, what the person does goes out. */

/** Returns what says something to the host. */
export function openPage<Down, Up>(receive: (message: Down) => void): (message: Up) => void {
  const host = acquireVsCodeApi<null>();
  window.addEventListener('message', ({ data }: MessageEvent<Down>) => receive(data));
  return (message) => host.postMessage(message);
}
