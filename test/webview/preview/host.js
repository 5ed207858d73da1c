// Stands in for VS Code in a plain browser: keeps what the panel says and its state. Each scene has an address of its own, and so
// a state of its own.
const STATE = `state${location.search}`;
globalThis.posted = [];
/** The state that the panel has saved, as JSON; null before the first. */
globalThis.savedState = () => sessionStorage.getItem(STATE);
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => globalThis.posted.push(message),
  getState: () => JSON.parse(globalThis.savedState() ?? 'null') ?? undefined,
  setState: (state) => sessionStorage.setItem(STATE, JSON.stringify(state)),
});
