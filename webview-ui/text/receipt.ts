/**
 * The receipt of a turn: the changed files, the editor's problems, the commands after the last change, and the requests
 * to the user. It is computed only from items and exit codes, never from the model's messages, and it does not judge
 * the result.
 */
import type { TurnItem, TurnItemOf } from '../../src/protocol/item.ts';
import { changesTaken } from '../../src/protocol/review.ts';
import { wordsOfRule } from '../../src/protocol/text/ruleLabels.ts';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { plural, t } from '../l10n.ts';
import { commandKindOf } from './commandKind.ts';
import { problemSentence, problemsTogether, type ProblemSums } from './patchProblems.ts';
import { turnChanges } from './turnFold.ts';

export interface Receipt {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Files that commands changed, summed over the commands: a file that several have changed counts for each. */
  readonly byCommands: number;
  readonly hunks: {
    readonly kept: number;
    /** Hunks that the user left out before the patch was applied. */
    readonly rejected: number;
  };
  /** Files whose proposed text the user changed. */
  readonly editedByUser: number;
  /** `null` if the editor's problems were not read. */
  readonly problems: ProblemSums | null;
  /** The commands that ended after the last change, oldest first, without those that only read, list or search. */
  readonly checks: readonly { readonly command: string; readonly exitCode: number | null }[];
  /** The number of approvals and questions. */
  readonly asked: number;
  /** The number of calls that a model has approved for the user. */
  readonly reviewed: number;
  /** The rules that let commands run without approval, with the number of commands. */
  readonly rules: readonly { readonly label: string; readonly commands: number }[];
}

/** Maximum number of characters shown of a command. */
const COMMAND_LENGTH = 60;

/**
 * Returns the receipt of a turn; `null` if the turn still runs or changed no file. Only hunks of patches are counted.
 * Checks are the commands after the last change by a patch or a command.
 */
export function receiptOf(turn: TurnState): Receipt | null {
  const changed = turn.items.filter(hasApplied);
  const lastChange = turn.items.findLastIndex((item) => hasApplied(item) || hasChanged(item));
  if (turn.status.type === 'running' || lastChange === -1) return null;
  const changes = changed.flatMap((item) => item.changes);
  return {
    ...turnChanges(turn),
    byCommands: sum(turn.items.map((item) => (item.type === 'command_execution' ? (item.changed?.total ?? 0) : 0))),
    hunks: {
      kept: sum(changed.map(hunksIn)),
      rejected: sum(changes.map(({ leftOut = 0 }) => leftOut)),
    },
    editedByUser: new Set(changes.filter(({ decision }) => decision === 'edited').map(({ path }) => path)).size,
    problems: problemsTogether(changed),
    checks: turn.items.slice(lastChange + 1).flatMap((item) => (isCheck(item) ? [item] : [])),
    asked: turn.asked,
    reviewed: turn.reviewed?.length ?? 0,
    rules: rulesIn(turn.items),
  };
}

/** Returns one sentence for each fact; `command` formats a command. */
export function receiptSentences(
  { hunks, byCommands, editedByUser, problems, checks, asked, reviewed, rules }: Receipt,
  command = (text: string) => inOneLine(text, COMMAND_LENGTH),
): readonly string[] {
  const ran = checks.map((check) => t('{0} ({1})', command(check.command), exitOf(check.exitCode)));
  const counts = [
    (hunks.kept > 0 || byCommands === 0) && plural(hunks.kept, '{0} hunk applied', '{0} hunks applied'),
    byCommands > 0 && plural(byCommands, '{0} file changed by commands', '{0} files changed by commands'),
    hunks.rejected > 0 && t('{0} rejected', hunks.rejected),
    editedByUser > 0 && plural(editedByUser, '{0} file edited by you', '{0} files edited by you'),
  ].filter((part) => part !== false);
  return [
    t('{0}.', counts.join(', ')),
    ...(problems === null ? [] : [problemSentence(problems)]),
    ran.length === 0 ? t('No check ran after the last change.') : t('After the last change: {0}.', ran.join(', ')),
    asked === 0 ? t('You were not asked.') : plural(asked, 'You were asked once.', 'You were asked {0} times.'),
    ...(reviewed === 0
      ? []
      : [plural(reviewed, 'The reviewer approved {0} command.', 'The reviewer approved {0} commands.')]),
    ...rules.map(({ label, commands }) =>
      plural(
        commands,
        '{0} command ran unasked by the rule “{1}”.',
        '{0} commands ran unasked by the rule “{1}”.',
        label,
      ),
    ),
  ];
}

/** Returns the receipt as a Markdown list, for example for a pull request. */
export function receiptAsMarkdown(receipt: Receipt): string {
  const { files, added, removed } = receipt;
  const lines = [
    t('{0} (+{1} −{2}).', plural(files, '{0} file', '{0} files'), added, removed),
    ...receiptSentences(receipt, asCode),
  ];
  return `${lines.map((line) => `- ${line}`).join('\n')}\n`;
}

function hasApplied(item: TurnItem): item is TurnItemOf<'file_change'> {
  return item.type === 'file_change' && item.status === 'completed' && changesTaken(item.changes).length > 0;
}

function hasChanged(item: TurnItem): boolean {
  return item.type === 'command_execution' && item.changed !== undefined && item.changed.total > 0;
}

function isCheck(item: TurnItem): item is TurnItemOf<'command_execution'> {
  if (item.type !== 'command_execution') return false;
  return (item.status === 'completed' || item.status === 'failed') && commandKindOf(item.command).type === 'run';
}

function rulesIn(items: readonly TurnItem[]): Receipt['rules'] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const label = item.type === 'command_execution' && item.allowedBy ? wordsOfRule(item.allowedBy) : null;
    if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, commands]) => ({ label, commands }));
}

/**
 * Counts the runs of adjacent changed lines, as the review does, even if two of them share a hunk of the diff. A file
 * that is renamed, or added without text, has no changed lines and counts as one.
 */
function hunksIn({ diff, changes }: TurnItemOf<'file_change'>): number {
  return Math.max(runsIn(diff), changesTaken(changes).length);
}

function runsIn(diff: string): number {
  let runs = 0;
  let isHeader = true;
  let wasChanged = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('\\')) continue;
    if (line.startsWith('diff ')) isHeader = true;
    else if (line.startsWith('@@ ')) isHeader = false;
    const isChanged = !isHeader && /^[-+]/.test(line);
    if (isChanged && !wasChanged) runs++;
    wasChanged = isChanged;
  }
  return runs;
}

function asCode(command: string): string {
  const line = inOneLine(command, COMMAND_LENGTH);
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return line.includes('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

function exitOf(exitCode: number | null): string {
  return exitCode === null ? t('did not end') : t('exit code {0}', exitCode);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
