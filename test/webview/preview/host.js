// Stands in for VS Code in a plain browser: keeps what the panel says and its state.
globalThis.posted = [];
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => globalThis.posted.push(message),
  getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
  setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
});
