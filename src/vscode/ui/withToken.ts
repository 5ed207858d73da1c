import * as vscode from 'vscode';
import { onAbort } from '../../core/util/abort.ts';

/** Runs with the signal as a token of VS Code, which is cancelled when the signal aborts. */
export async function withToken<Result>(
  signal: AbortSignal,
  run: (token: vscode.CancellationToken) => PromiseLike<Result>,
): Promise<Result> {
  const source = new vscode.CancellationTokenSource();
  const forget = onAbort(signal, () => source.cancel());
  try {
    return await run(source.token);
  } finally {
    forget();
    source.dispose();
  }
}
