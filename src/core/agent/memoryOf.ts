/** Builds the memory of a thread from its events. */
import type { TurnItem, UserInput } from '../../protocol/item.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { textOfInput, type ThreadState, type TurnState } from '../../protocol/thread.ts';
import type { ThreadMemory } from '../rollout/memoryFile.ts';

/** Characters of one line of the trace. */
const LINE_LENGTH = 200;
/** Maximum files and commands of one turn that are listed. */
const MOST_FILES = 12;
const MOST_COMMANDS = 6;

/** Returns `undefined` for a thread without messages. `now`: ISO 8601. */
export function memoryOf(state: ThreadState, now: string): ThreadMemory | undefined {
  const turns = state.turns.filter(({ items }) => items.some(({ type }) => type === 'user_message'));
  const folder = state.turns.at(-1)?.settings.cwd ?? state.started?.cwd;
  const summary = summaryOf(state);
  if (turns.length === 0 || folder === undefined || summary === '') return undefined;
  const trace = turns.flatMap(traceOf).join('\n');
  return { threadId: state.threadId, title: state.title ?? '', folder, updatedAt: now, trace, summary };
}

/** The summary of the last compaction in effect, and the last answer since. */
function summaryOf({ turns }: ThreadState): string {
  const items = turns.flatMap((turn) => turn.items);
  const at = items.findLastIndex((item) => item.type === 'compaction' && item.status === 'completed' && !item.undone);
  const compaction = items[at];
  const answer = items.slice(at + 1).findLast((item) => item.type === 'agent_message' && item.text.trim() !== '');
  const texts = [
    compaction?.type === 'compaction' ? compaction.summary : '',
    answer?.type === 'agent_message' ? answer.text : '',
  ];
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}

function traceOf(turn: TurnState): readonly string[] {
  const requests = turn.items.flatMap((item) => (item.type === 'user_message' ? [asked(item.content)] : []));
  const files = [...new Set(turn.items.flatMap(filesOf))];
  const commands = turn.items.flatMap((item) => (item.type === 'command_execution' ? [ranAs(item)] : []));
  return [
    ...requests,
    ...named('changed', files.slice(0, MOST_FILES), files.length),
    ...named('ran', commands.slice(-MOST_COMMANDS), commands.length),
    ...(turn.status.type === 'aborted' ? ['  - stopped before its end'] : []),
    ...(turn.reverted ? ['  - its changes were undone'] : []),
  ];
}

function asked(content: readonly UserInput[]): string {
  return `- ${inOneLine(textOfInput(content), LINE_LENGTH)}`;
}

function named(what: string, names: readonly string[], total: number): readonly string[] {
  if (names.length === 0) return [];
  const more = total > names.length ? `, and ${total - names.length} more` : '';
  return [`  - ${what}: ${names.join(', ')}${more}`];
}

function filesOf(item: TurnItem): readonly string[] {
  if (item.type === 'file_change' && item.status === 'completed') return item.changes.map(({ path }) => path);
  return item.type === 'command_execution' ? (item.changed?.files.map(({ path }) => path) ?? []) : [];
}

function ranAs({ command, exitCode }: Extract<TurnItem, { type: 'command_execution' }>): string {
  return `${inOneLine(command, LINE_LENGTH)}${exitCode === null ? '' : ` (exit code ${exitCode})`}`;
}
