/** Defined by scripts/buildWebview.mjs. */
declare const TILLER_BUILD: string;

declare function acquireVsCodeApi<State>(): {
  postMessage(message: unknown): void;
  getState(): State | undefined;
  setState(state: State): void;
};

declare module '*.css';
