import path from 'node:path';
import * as vscode from 'vscode';
import { firstLine } from '../../protocol/text/truncate.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { ThreadListEntry } from '../../protocol/threads.ts';
import type { ThreadRow } from '../../protocol/wire.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';

/** A thread as stored on the disk. */
export interface StoredThread extends ThreadListEntry {
  readonly found?: ThreadRow['found'];
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
  const { id, title, preview, updatedAt, model, cwd, found } = thread;
  const isElsewhere = thread.owner === 'another_process';
  return {
    id,
    // A thread that has only been greeted.
    title: title ?? (firstLine(preview) || null),
    status: statusOf(thread),
    note: isElsewhere ? vscode.l10n.t('in another window') : noteOf(thread),
    ...(found && { found }),
    isPinned: thread.pinned,
    updatedAt,
    model,
    place: path.basename(cwd),
  };
}

function statusOf({ status, lastTurn, unread }: StoredThread): ThreadRow['status'] {
  if (status !== 'resting') return status;
  // Its request is made again when the thread is opened.
  if (lastTurn === 'waiting') return 'waiting';
  if (lastTurn === 'failed') return 'failed';
  return unread ? 'unread' : 'idle';
}

function noteOf({ status, lastTurn }: StoredThread): string | null {
  if (status !== 'resting') return null;
  if (lastTurn === 'waiting') return vscode.l10n.t('needs you');
  return lastTurn === 'failed' ? vscode.l10n.t('failed') : null;
}

function liveFacts(state: ThreadState, stored: StoredThread, threads: ShownThread): Partial<ThreadRow> {
  // Its sub-agents count: one may ask while the thread only waits for it.
  const { activity, asking } = threads.overview.activityWithAgents(state.threadId);
  const title = state.title ?? stored.title;
  const named = title === null ? {} : { title };
  if (activity === 'waiting') return { ...named, status: 'waiting', note: questionOf(asking ?? state) };
  if (activity === 'running') return { ...named, status: 'running', note: null };
  const last = state.turns.at(-1);
  const isFailed = last?.status.type === 'aborted' && last.status.reason === 'failed';
  if (isFailed) return { ...named, status: 'failed', note: vscode.l10n.t('failed') };
  return { ...named, status: stored.unread ? 'unread' : 'idle', note: null };
}

/** The pending request of a thread, in short. */
export function questionOf({ approvals, questions }: ThreadState): string {
  const [approval] = approvals;
  if (approval) {
    if (approval.hosts !== undefined) return vscode.l10n.t('Reach {0}?', approval.hosts.join(', '));
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
