/** The messages to the worker, and its answers. */
import type { BaselineStore } from '../../core/ports.ts';

/** Methods of the store that run in the worker. */
export type Method = Exclude<keyof BaselineStore, 'dispose'>;

export interface Call {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type Answer =
  | { readonly id: number; readonly type: 'result'; readonly result: unknown }
  | { readonly id: number; readonly type: 'error'; readonly message: string; readonly code: string | undefined };

export interface WorkerOptions {
  readonly home: string;
  readonly userHome: string;
}
