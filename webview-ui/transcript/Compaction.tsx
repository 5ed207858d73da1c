import { useSignal } from '@preact/signals';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import { tokens } from '../text/format.ts';
import { Icon, Spinner } from '../components/Icon.tsx';
import { Markdown } from '../components/Markdown.tsx';

/** Marks where the thread was compacted; the summary can be opened. */
export function Compaction({ item }: { item: TurnItemOf<'compaction'> }) {
  const isOpen = useSignal(false);
  const isRunning = item.status === 'in_progress';
  const label = isRunning
    ? t('Compacting the thread')
    : item.status === 'completed'
      ? t('Compacted: {0} → {1} tokens', tokens(item.beforeTokens), tokens(item.afterTokens))
      : t('Compaction undone');
  return (
    <div data-testid="compaction">
      <div class="marker">
        {isRunning ? <Spinner /> : <Icon name="fold" />}
        <span>{label}</span>
        {item.summary !== '' && (
          <button
            type="button"
            class="act"
            data-testid="compaction-summary"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {t('Summary')}
          </button>
        )}
        <span class="marker-line" />
      </div>
      {isOpen.value && <Markdown text={item.summary} />}
    </div>
  );
}
