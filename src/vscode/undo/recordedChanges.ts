import * as vscode from 'vscode';
import { ChangeRecords } from '../../core/baseline/changeRecords.ts';
import { changesOfWholeTurns, withAgentTurns } from '../../core/baseline/agentTurns.ts';
import { keptContents } from '../../core/baseline/keptContents.ts';
import type { Storage } from '../../core/ports.ts';
import type { ChangeStep, RecordedChange } from '../../protocol/baseline.ts';
import { type KeptDiff, showKeptDiffs } from './keptDocuments.ts';

/**
 * Opens the changes of a turn and its sub-agents, or of one command of it, in one diff editor. False when none is
 * recorded, or all are undone.
 */
export async function openRecordedChanges(
  id: string,
  /** Absolute; `undefined`: all of them. */
  file: string | undefined,
  threadId: string,
  storage: Pick<Storage, 'openAppend' | 'readText'>,
): Promise<boolean> {
  const own = new ChangeRecords(storage, threadId);
  const records = await own.read();
  const step = records.find((record): record is ChangeStep => record.type === 'step' && record.itemId === id);
  const ofTurn = async () => {
    const whole = await withAgentTurns(records, [id], (agentId) => own.of(agentId).read());
    return changesOfWholeTurns(whole, [id]).changes;
  };
  const changes = step?.changes ?? (await ofTurn());
  const all = changes.flatMap((change) => diffOf(change) ?? []);
  const files = all.filter((diff) => file === undefined || diff.path === file);
  if (files.length === 0) return false;
  const title = step === undefined ? vscode.l10n.t('Changes of a Turn') : vscode.l10n.t('Changes of a Step');
  await showKeptDiffs(title, files);
  return true;
}

/** `undefined` where a content is not kept. */
function diffOf({ path, before, after }: RecordedChange): KeptDiff | undefined {
  const contents = keptContents(before, after);
  return contents && { path, ...contents };
}

/** Absolute paths of files that a command changed, and no later command or patch. */
export async function pathsToReview(
  itemId: string,
  threadId: string,
  storage: Pick<Storage, 'openAppend' | 'readText'>,
): Promise<readonly string[]> {
  const records = await new ChangeRecords(storage, threadId).read();
  const steps = records.filter((record) => record.type === 'step');
  const index = steps.findIndex((step) => step.itemId === itemId);
  const later = new Set(steps.slice(index + 1).flatMap(({ changes }) => changes.map(({ path }) => path)));
  return (steps[index]?.changes ?? []).map(({ path }) => path).filter((path) => !later.has(path));
}
