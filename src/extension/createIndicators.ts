import type { DisposableStore } from '../core/util/disposable.ts';
import { NotifyProgram } from '../node/process/notifyProgram.ts';
import { Walkthrough } from '../vscode/support/walkthrough.ts';
import { StatusBar } from '../vscode/threads/statusBar.ts';
import { ThreadKeys } from '../vscode/threads/threadKeys.ts';
import { isWindowFocused, TurnNotices, warnOfNotifyProgram } from '../vscode/threads/turnNotices.ts';
import type { Agent } from './createAgent.ts';
import type { Host } from './createHost.ts';

/** The state of threads outside of the panel: status bar, context keys, notices of ended turns, steps of the walkthrough. */
export interface Indicators {
  readonly walkthrough: Walkthrough;
  /** Call when the number of interrupted patches has changed. */
  readonly refresh: () => void;
}

/** `interrupted`: the number of interrupted patches. */
export function createIndicators(
  { node, settings, report }: Host,
  { threads, service, ports, current }: Agent,
  {
    interrupted,
    showThread,
  }: {
    readonly interrupted: () => number;
    readonly showThread: (threadId: string) => void;
  },
  store: DisposableStore,
): Indicators {
  store.add(new TurnNotices({ live: service.live, settings, showThread }));
  const notifyProgram = new NotifyProgram({
    settings,
    environment: node.host.environment,
    redactor: ports.keys,
    tellsRequests: () => !isWindowFocused(),
    warn: (reason) => void warnOfNotifyProgram(reason).then(undefined, report),
  });
  store.add(service.live.onEvent((update) => void notifyProgram.take(update)));
  const walkthrough = new Walkthrough();
  store.add(
    threads.onEvent(({ event: { msg } }) => {
      if (msg.type === 'turn_started') walkthrough.note('ask');
      if (msg.type === 'approval_resolved' && msg.by === 'user') walkthrough.note('decide');
      if (msg.type === 'files_reverted') walkthrough.note('undo');
    }),
  );
  const keys = store.add(new ThreadKeys(threads, interrupted));
  const statusBar = store.add(new StatusBar(threads, current, interrupted));
  return {
    walkthrough,
    refresh: () => {
      statusBar.refresh();
      keys.refresh();
    },
  };
}
