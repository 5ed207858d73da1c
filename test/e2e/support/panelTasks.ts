/** Measures the tasks of the panel's page in processor time, so that other load on the machine does not count. */
import type { Page } from 'playwright-core';

/** An event of Chromium's trace, as far as it is used here. Times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
  readonly args: { readonly data?: { readonly url?: string } };
}

const TASK = 'ThreadControllerImpl::RunTask';
const CALL = 'FunctionCall';
const SCRIPT = '/tiller-dev.tiller-';

/** Runs `act`. Resolves with the processor time, in milliseconds, of each task that ran a script of Tiller's pages. */
export async function panelTasks(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]).filter(({ name }) => name === TASK || name === CALL));
  });
  const traceConfig = { includedCategories: ['toplevel', 'devtools.timeline'] };
  await session.send('Tracing.start', { traceConfig, transferMode: 'ReportEvents' });
  try {
    await act();
  } finally {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await complete;
    await session.detach();
  }
  return timesOf(events);
}

function timesOf(events: readonly TraceEvent[]): readonly number[] {
  const calls = events.filter(({ name, args }) => name === CALL && args.data?.url?.includes(SCRIPT));
  const contains = ({ pid, tid, ts, dur = 0 }: TraceEvent, call: TraceEvent) =>
    call.pid === pid && call.tid === tid && ts <= call.ts && call.ts < ts + dur;
  const tasks = events.filter((event) => event.name === TASK && calls.some((call) => contains(event, call)));
  return tasks.map(({ tdur = 0 }) => tdur / 1000);
}
