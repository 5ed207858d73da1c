/**
 * Splits a turn into the parts to show: all steps while it runs; a summary line and the final message when it has
 * ended.
 */
import { changesTaken } from '../../src/protocol/review.ts';
import type { TurnItem } from '../../src/protocol/item.ts';
import { traitsOf } from '../../src/protocol/itemTraits.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { plural, t } from '../l10n.ts';
import { commandKindOf } from './commandKind.ts';

export type TurnPart =
  | { readonly type: 'steps'; readonly items: readonly TurnItem[] }
  | { readonly type: 'fold'; readonly items: readonly TurnItem[] }
  | { readonly type: 'item'; readonly item: TurnItem };

const isStep = (item: TurnItem): boolean => traitsOf(item).place === 'step';

/**
 * Returns the parts after the first message, in order. Further messages of the user and the final message are never
 * folded. A stopped turn is not folded, so that it shows where it stopped.
 */
export function partsOfTurn(turn: TurnState): readonly TurnPart[] {
  const items = shownItems(turn);
  if (turn.status.type !== 'completed') return openParts(items);
  const lastWords = items.findLastIndex((item) => traitsOf(item).place === 'speech');
  const parts: TurnPart[] = [];
  let folded: TurnItem[] = [];
  const close = () => {
    parts.push(...(folded.filter(isStep).length > 1 ? [{ type: 'fold' as const, items: folded }] : openParts(folded)));
    folded = [];
  };
  for (const [index, item] of items.entries()) {
    if (index !== lastWords && traitsOf(item).place !== 'landmark' && !holdsAnswer(item)) folded.push(item);
    else {
      close();
      parts.push({ type: 'item', item });
    }
  }
  close();
  return parts;
}

/** Returns the items after the first message. Of several plans only the last one is shown, because it has all steps. */
function shownItems({ items }: TurnState): readonly TurnItem[] {
  const lastPlan = items.findLastIndex(({ type }) => type === 'plan');
  const isShown = ({ type }: TurnItem, index: number) =>
    type === 'plan' ? index === lastPlan : index > 0 || type !== 'user_message';
  return items.filter(isShown);
}

/** Returns true for a message with a block of code or a table: it is part of the answer even if calls follow it. */
function holdsAnswer(item: TurnItem): boolean {
  return item.type === 'agent_message' && /^ {0,3}(?:```|~~~|\|.*\|\s*$)/m.test(item.text);
}

function openParts(items: readonly TurnItem[]): readonly TurnPart[] {
  const parts: TurnPart[] = [];
  for (const item of items) {
    const last = parts.at(-1);
    if (!isStep(item)) parts.push({ type: 'item', item });
    else if (last?.type === 'steps') parts[parts.length - 1] = { type: 'steps', items: [...last.items, item] };
    else parts.push({ type: 'steps', items: [item] });
  }
  return parts;
}

/** Summarizes the steps: “Read 4 files, edited 3, ran 2 commands (1 failed), 1 denied, 1 search”. */
export function foldSummary(items: readonly TurnItem[]): string {
  const { count, edited, unsaved } = countSteps(items);
  const sentence = [
    count.read > 0 && plural(count.read, 'read {0} file', 'read {0} files'),
    edited > 0 && (count.read > 0 ? t('edited {0}', edited) : plural(edited, 'edited {0} file', 'edited {0} files')),
    unsaved > 0 && t('{0} unsaved', unsaved),
    count.editFailed > 0 && plural(count.editFailed, '{0} edit failed', '{0} edits failed'),
    count.ran > 0 && withFailed(plural(count.ran, 'ran {0} command', 'ran {0} commands'), count.ranFailed),
    count.denied > 0 && t('{0} denied', count.denied),
    count.called > 0 && withFailed(plural(count.called, 'called {0} tool', 'called {0} tools'), count.callFailed),
    count.searched > 0 && plural(count.searched, '{0} search', '{0} searches'),
  ].filter((part) => part !== false);
  const text = sentence.length === 0 ? plural(items.length, '{0} step', '{0} steps') : sentence.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Counts the steps by their kind. `edited` and `unsaved` count files, each once. */
function countSteps(items: readonly TurnItem[]) {
  const edited = new Set<string>();
  const unsaved = new Set<string>();
  const count = { read: 0, searched: 0, ran: 0, ranFailed: 0, editFailed: 0, called: 0, callFailed: 0, denied: 0 };
  for (const item of items) {
    const isFailed = item.status === 'failed';
    if (item.status === 'declined') {
      count.denied++;
      continue;
    }
    const counted = traitsOf(item).counted(item);
    switch (counted?.type) {
      case 'patch':
        if (isFailed) count.editFailed++;
        if (item.status !== 'completed') break;
        for (const change of changesTaken(counted.changes)) {
          edited.add(change.path);
          if (change.unsaved) unsaved.add(change.path);
        }
        break;
      case 'command': {
        const kind = commandKindOf(counted.command);
        // A failed read or search is not counted as such: it has read and found nothing.
        if (kind.type === 'read' && !isFailed) count.read += kind.names.length;
        else if (kind.type === 'search' && !isFailed) count.searched++;
        else {
          count.ran++;
          if (isFailed) count.ranFailed++;
        }
        break;
      }
      case 'call':
        count.called++;
        if (isFailed) count.callFailed++;
        break;
      case 'lookup':
        if (isFailed) break;
        if (counted.action === 'read') count.read++;
        if (counted.action === 'search') count.searched++;
        break;
      case 'search':
        count.searched++;
        break;
      case undefined:
        break;
      default:
        counted satisfies never;
    }
  }
  return { count, edited: edited.size, unsaved: unsaved.size };
}

function withFailed(words: string, failed: number): string {
  return failed === 0 ? words : t('{0} ({1} failed)', words, failed);
}

/** The roles of agents that change no files. */
const READING_ROLES: readonly string[] = ['explorer', 'reviewer'];

/**
 * Returns true if the turn has started sub-agents that may have changed files. Undoing the turn undoes these changes,
 * too.
 */
export function mayChangeByAgents({ items }: TurnState): boolean {
  return items.some(
    (item) =>
      item.type === 'sub_agent' &&
      item.agentId !== '' &&
      ['task', 'spawn', 'message'].includes(item.action ?? '') &&
      !READING_ROLES.includes(item.role),
  );
}

/**
 * Counts the files and lines that the turn's applied patches and commands have changed. Lines are summed over patches
 * and commands. Changed files that a command does not name are added to the count.
 */
export function turnChanges(turn: TurnState): {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
} {
  const paths = new Set<string>();
  let [added, removed, unnamed] = [0, 0, 0];
  for (const item of turn.items) {
    if (item.type === 'command_execution' && item.changed !== undefined) {
      const { files, total } = item.changed;
      for (const file of files) {
        paths.add(file.path);
        added += file.added ?? 0;
        removed += file.removed ?? 0;
      }
      unnamed += total - files.length;
    }
    if (item.type !== 'file_change' || item.status !== 'completed') continue;
    for (const change of changesTaken(item.changes)) {
      paths.add(change.path);
      added += change.added;
      removed += change.removed;
    }
  }
  return { files: paths.size + unnamed, added, removed };
}

/** Returns true if the turn has changed files and was not undone. */
export function changesFiles(turn: TurnState): boolean {
  return !turn.reverted && turnChanges(turn).files > 0;
}

/** Returns the text of the user's message that began the turn. */
export function firstWords(turn: TurnState): string {
  const [first] = turn.items;
  if (first?.type !== 'user_message') return '';
  return first.content.find((part) => part.type === 'text')?.text ?? '';
}
