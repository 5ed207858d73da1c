import { useRef } from 'preact/hooks';
import { MAX_HUNK_REASON } from '../../src/protocol/reviewLimits.ts';
import { t } from '../l10n.ts';

/**
 * A field for the reason why a hunk or a file is rejected; the model gets it. It is optional and is saved at each key,
 * so there is no button.
 */
export function HunkReason(props: { label: string; given: string; onGive: (reason: string) => void }) {
  const { label, given, onGive } = props;
  // The field is uncontrolled: each key comes back from the host as a new `given`, and writing that into the field
  // would move the cursor.
  const initial = useRef(given);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    const card = event.currentTarget instanceof Element ? event.currentTarget.closest('section') : null;
    card?.querySelector<HTMLElement>('.decide-buttons button')?.focus();
  };
  return (
    <input
      class="input hunk-why"
      data-testid="hunk-reason"
      aria-label={label}
      placeholder={t('Say why (optional)')}
      maxLength={MAX_HUNK_REASON}
      defaultValue={initial.current}
      onInput={({ currentTarget }) => onGive(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
