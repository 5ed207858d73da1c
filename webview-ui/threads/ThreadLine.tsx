import { useComputed } from '@preact/signals';
import type { ThreadRow } from '../../src/protocol/wire.ts';
import { t } from '../l10n.ts';
import { threadId } from '../store.ts';
import { age } from './threadGroups.ts';
import { activate, activeRow, openThread, scope } from './store.ts';
import { Icon, Spinner } from '../components/Icon.tsx';

/** Returns the id of a row's element. */
export function rowId(threadId: string): string {
  return `thread-${threadId}`;
}

/** The row of one thread: its title, status and time. */
export function ThreadLine({ row, place, total, now }: { row: ThreadRow; place: number; total: number; now: Date }) {
  const { id, status } = row;
  const title = row.title ?? t('Untitled');
  const isActive = useComputed(() => activeRow.value?.id === id).value;
  return (
    <div
      class="th-row"
      id={rowId(id)}
      role="option"
      data-testid="thread-row"
      data-state={status}
      data-active={isActive}
      data-note={row.note !== null}
      data-current={threadId.value === id}
      aria-selected={isActive}
      aria-posinset={place}
      aria-setsize={total}
      title={tip(row, title)}
      data-pinned={row.isPinned}
      aria-keyshortcuts="Control+D"
      data-vscode-context={menuContext(row)}
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => activate(id)}
      onClick={() => openThread(id)}
    >
      <span class="step-icon">
        <Mark status={status} />
      </span>
      <span class="th-text">
        <span class="th-title" dir="auto">
          {title}
        </span>
        <span class="sr">{statusLabel(row)}</span>
        <span class="th-sub">{subOf(row)}</span>
      </span>
      <span class="step-meta num">{age(row.updatedAt, now)}</span>
      {row.found && <Found found={row.found} />}
    </div>
  );
}

/**
 * Returns the value of the attribute by which VS Code selects the entries of the context menu that package.json
 * contributes.
 */
function menuContext({ id, isPinned }: ThreadRow): string {
  return JSON.stringify({
    webviewSection: 'tillerThread',
    threadId: id,
    threadIsPinned: isPinned,
    preventDefaultContextMenuItems: true,
  });
}

/** Maximum number of characters before the match: few, so that a narrow row shows the match. */
const CHARACTERS_BEFORE = 24;

function Found({ found: { before, match, after } }: { found: NonNullable<ThreadRow['found']> }) {
  const near = before.trimStart();
  const isCut = near.length > CHARACTERS_BEFORE;
  return (
    <span class="th-found" data-testid="thread-found">
      {isCut ? `…${near.slice(-CHARACTERS_BEFORE)}` : near}
      <mark>{match}</mark>
      {after.trimEnd()}
    </span>
  );
}

function Mark({ status }: Pick<ThreadRow, 'status'>) {
  switch (status) {
    case 'waiting':
      return <Icon name="bell-dot" />;
    case 'running':
      return <Spinner />;
    case 'unread':
      return <Icon name="circle-filled" />;
    case 'failed':
      return <Icon name="error" />;
    case 'idle':
      return <Icon name="comment" />;
  }
}

/** Returns the text of the status mark for screen readers. */
function statusLabel({ id, status }: ThreadRow): string {
  const labels = { waiting: t('needs you'), running: t('running'), unread: t('unread'), failed: '', idle: '' };
  return threadId.value === id ? t('shown now') : labels[status];
}

function subOf(row: ThreadRow): string {
  if (row.note !== null) return row.note;
  return scope.value === 'all' ? row.place : '';
}

function tip(row: ThreadRow, title: string): string {
  return [title, [row.place, row.model].join(' · '), new Date(row.updatedAt).toLocaleString()].join('\n');
}
