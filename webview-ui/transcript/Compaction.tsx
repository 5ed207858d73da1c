import { useSignal } from '@preact/signals';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { submit } from '../actions.ts';
import { t } from '../l10n.ts';
import { undoableCompaction } from '../store.ts';
import { tokens } from '../text/format.ts';
import { Act } from '../components/Buttons.tsx';
import { Icon, Spinner } from '../components/Icon.tsx';
import { Markdown } from '../components/Markdown.tsx';

/**
 * Marks the place where the thread was compacted; the user can open the summary. If the compaction failed, the error or
 * warning of its turn gives the reason.
 */
export function Compaction({ item }: { item: TurnItemOf<'compaction'> }) {
  const isOpen = useSignal(false);
  const summaryId = `summary-${item.id}`;
  const hasFailed = item.status === 'failed';
  return (
    <div class="compaction" data-testid="compaction" data-status={item.undone ? 'undone' : item.status}>
      <div class="marker">
        {item.status === 'in_progress' ? <Spinner /> : <Icon name={hasFailed ? 'error' : 'fold'} />}
        <span title={item.why}>{labelOf(item)}</span>
        {item.summary !== '' && (
          <button
            type="button"
            class="act"
            data-testid="compaction-summary"
            aria-expanded={isOpen.value}
            aria-controls={summaryId}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {t('Summary')}
          </button>
        )}
        {undoableCompaction.value === item.id && (
          <Act
            testid="compaction-undo"
            label={t('Undo Compaction')}
            onClick={() => submit({ type: 'undo_compaction', itemId: item.id })}
          >
            {t('Undo')}
          </Act>
        )}
        <span class="marker-line" />
      </div>
      {isOpen.value && (
        <div class="compaction-summary" id={summaryId}>
          <Markdown text={item.summary} />
        </div>
      )}
    </div>
  );
}

function labelOf({ status, undone, trigger, beforeTokens, afterTokens }: TurnItemOf<'compaction'>): string {
  const [before, after] = [tokens(beforeTokens), tokens(afterTokens)];
  if (undone) return t('Compaction undone: {0} → {1} tokens', after, before);
  switch (status) {
    case 'in_progress':
      return t('Compacting {0} tokens', before);
    case 'completed':
      return trigger === 'limit' || trigger === 'context_exceeded'
        ? t('Auto-compacted: {0} → {1} tokens', before, after)
        : t('Compacted: {0} → {1} tokens', before, after);
    case 'failed':
      return t('Compaction failed');
    default:
      return t('Compaction stopped');
  }
}
