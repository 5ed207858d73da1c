/** Messages of the host to the panel in the measurements of panel.mjs, batched by the host's own code. */
import type { Event } from '../../src/protocol/event.ts';
import type { TurnItem } from '../../src/protocol/item.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { foldPanelEvent, type PanelEvent } from '../../src/protocol/threadReducer.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { EventBatcher } from '../../src/vscode/chat/eventBatcher.ts';
import { pageOfTurns, snapshotOf } from '../../src/vscode/chat/snapshot.ts';
import { commandItem, patchItem, Script } from '../webview/preview/script.ts';
import { SCENES } from '../webview/preview/states.ts';

/** As the page of the preview is built. */
const BUILD = 'preview';
const PARAGRAPH = 'A sentence of **prose** with `code` in it, and one more.\n\n- a point\n- another\n\n';
const FENCE = '```ts\nconst a = 1;\nfunction b() { return a; }\n```\n\n';
const DELTA_LENGTH = 5;
/** Lines that a fast build prints between two frames. */
const LINES_PER_CHUNK = 400;
const ITEMS_PER_TURN = 10;

export interface PanelWork {
  /** Posted before the measurement. */
  readonly before: readonly HostMessage[];
  /** Posted one after the other; `paceMs` apart. */
  readonly messages: readonly HostMessage[];
  readonly paceMs: number;
}

function prose(characters: number): string {
  const part = PARAGRAPH + FENCE;
  return part.repeat(Math.ceil(characters / part.length)).slice(0, characters);
}

/** A turn that runs, as the state and the events of one thread. */
function running(): { readonly thread: ThreadState; readonly script: Script; readonly from: number } {
  const script = new Script('measured').turn('Go on.');
  return {
    thread: script.events.reduce(foldPanelEvent, initialThreadState('measured')),
    script,
    from: script.events.length,
  };
}

function snapshot(state: ThreadState): HostMessage {
  const [message] = SCENES.empty.messages;
  if (message?.type !== 'snapshot') throw new Error('The scene "empty" has no snapshot.');
  return { ...message, ...snapshotOf(state) };
}

/** The messages in which the host sends these events when they come at once. */
function batched(events: readonly Event[]): HostMessage[] {
  const messages: HostMessage[] = [];
  const batcher = new EventBatcher((batch: readonly PanelEvent[]) =>
    messages.push({ type: 'events', build: BUILD, events: batch }),
  );
  for (const event of events) batcher.push(event);
  batcher.flush();
  return messages;
}

function after(
  begin: (script: Script) => void,
  work: (script: Script) => void,
): { before: HostMessage[]; events: Event[] } {
  const { thread, script, from } = running();
  begin(script);
  const started = script.events.slice(from);
  const first = script.events.length;
  work(script);
  return { before: [snapshot(thread), ...batched(started)], events: script.events.slice(first) };
}

const deltasOf = (text: string): readonly string[] => text.match(new RegExp(`[^]{1,${DELTA_LENGTH}}`, 'g')) ?? [];

function grows(script: Script, kind: 'text' | 'output', pieces: readonly string[]): void {
  for (const text of pieces) script.emit({ type: 'item_delta', itemId: script.lastItem, kind, text });
}

function ends(script: Script, item: Omit<TurnItem, 'id' | 'status'>): void {
  script.emit({ type: 'item_completed', item: { ...item, id: script.lastItem, status: 'completed' } as TurnItem });
  script.complete();
}

/** A burst of so many deltas, and directly after it the end of the answer and of the turn. */
export function burst(deltas: number): PanelWork {
  const text = prose(deltas * DELTA_LENGTH);
  const { before, events } = after(
    (script) => script.begin({ type: 'agent_message', text: '' }),
    (script) => {
      grows(script, 'text', deltasOf(text));
      ends(script, { type: 'agent_message', text } as TurnItem);
    },
  );
  return { before, messages: batched(events), paceMs: 0 };
}

/** An answer of a server that does not stream. */
export function wholeAnswer(characters: number): PanelWork {
  const { before, events } = after(
    () => {},
    (script) => script.says(prose(characters)).complete(),
  );
  return { before, messages: batched(events), paceMs: 0 };
}

/** Output of one command, with colours, in two seconds and with its end. */
export function output(lines: number): PanelWork {
  const chunks = Array.from({ length: lines / LINES_PER_CHUNK }, (_, chunk) =>
    Array.from(
      { length: LINES_PER_CHUNK },
      (_line, index) => `\u001b[32m✓\u001b[0m line ${chunk * LINES_PER_CHUNK + index} of the build\n`,
    ).join(''),
  );
  const { before, events } = after(
    (script) => script.begin(commandItem('make')),
    (script) => {
      grows(script, 'output', chunks);
      const kept = chunks.join('').slice(-100_000);
      ends(script, { ...commandItem('make'), exitCode: 0, durationMs: 2000, output: kept } as TurnItem);
    },
  );
  return { before, messages: events.flatMap((event) => batched([event])), paceMs: 16 };
}

/** A thread of so many items: messages, commands, patches and answers with code. */
export function thread(items: number): PanelWork & { readonly earlier: readonly HostMessage[] } {
  const script = new Script('long');
  const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-const a = 1;\n+const a = 2;\n';
  for (let turn = 0; turn < items / ITEMS_PER_TURN; turn++) {
    script
      .turn(`Message ${turn}: make the limit of retries a setting.`)
      .thinks('Looking for the callers of `delayFor`.')
      .ran('rg -n delayFor src', 'src/http.ts:12: delayFor(1)\nsrc/get.ts:3: delayFor(2)\n')
      .ran('sed -n 1,40p src/http.ts', 'export function get() {}\n'.repeat(10))
      .says('The limit is in two places.')
      .item(patchItem([{ path: 'a.ts', kind: 'update', added: 1, removed: 1 }], diff))
      .ran('npm test', 'ok\n'.repeat(20))
      .thinks('The tests pass.')
      .ran('git diff --stat', ' a.ts | 2 +-\n')
      .says(`${PARAGRAPH.repeat(4)}${FENCE}Done with turn ${turn}.`)
      .complete();
  }
  const state = script.events.reduce(foldPanelEvent, initialThreadState('long'));
  const earlier: HostMessage[] = [];
  for (let { earlierTurns: end } = pageOfTurns(state.turns); end > 0; ) {
    const page = pageOfTurns(state.turns, end);
    earlier.push({ type: 'earlier', build: BUILD, ...page });
    end = page.earlierTurns;
  }
  return { before: SCENES.empty.messages, messages: [snapshot(state)], earlier, paceMs: 0 };
}
