import path from 'node:path';
import * as vscode from 'vscode';
import type { ThreadState } from '../../protocol/thread.ts';
import type { ThreadListEntry } from '../../protocol/threads.ts';
import type { ThreadRow } from '../../protocol/wire.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';

/** A thread as stored on the disk. */
export interface StoredThread extends ThreadListEntry {
  /** The text that matched the search, with some context. */
  readonly found?: string;
}

/** Rows from the disk, with the newer state of threads that are live in this window. */
export function rowsOf(stored: readonly StoredThread[], threads: ShownThread): readonly ThreadRow[] {
  const live = new Map(threads.live.map((state) => [state.threadId, state]));
  return stored.map((thread) => {
    const state = live.get(thread.id);
    return { ...rowOf(thread), ...(state && liveFacts(state, thread, threads)) };
  });
}

function rowOf(thread: StoredThread): ThreadRow {
  const { id, title, updatedAt, model, tokens, cwd, found } = thread;
  const note = found ?? (thread.owner === 'another_process' ? vscode.l10n.t('in another window') : null);
  return { id, title, status: statusOf(thread), note, updatedAt, model, tokens, place: path.basename(cwd) };
}

function statusOf({ status, unread }: StoredThread): ThreadRow['status'] {
  if (status !== 'resting') return status;
  return unread ? 'unread' : 'idle';
}

function liveFacts(state: ThreadState, stored: StoredThread, threads: ShownThread): Partial<ThreadRow> {
  // Its sub-agents count: one may ask while the thread only waits for it.
  const { activity, asking } = threads.activityWithAgents(state.threadId);
  return {
    title: state.title ?? stored.title,
    tokens: state.tokens?.total.total ?? stored.tokens,
    status: activity === 'idle' && stored.unread ? 'unread' : activity,
    ...(activity === 'waiting' ? { note: questionOf(asking ?? state) } : {}),
  };
}

/** The pending request of a thread, in short. */
export function questionOf({ approvals, questions }: ThreadState): string {
  const [approval] = approvals;
  if (approval) {
    if (approval.kind !== 'patch') return vscode.l10n.t('Run {0}?', approval.command ?? approval.callId);
    const [first, ...others] = approval.changes ?? [];
    return first && others.length === 0
      ? vscode.l10n.t('Change {0}?', path.basename(first.path))
      : vscode.l10n.t('Change {0} files?', others.length + 1);
  }
  const [question] = questions;
  if (!question) return '';
  return question.source === 'mcp' ? question.message : (question.questions[0]?.question ?? '');
}
