import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../l10n.ts';
import { Button } from '../components/Buttons.tsx';

/**
 * The field for the message of a denial. It replaces the answers, so that Enter has one meaning. It grows with its
 * text; Shift+Enter begins a line.
 */
export function DenyRow({ onDeny, onBack }: { onDeny: (word: string) => void; onBack: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const deny = () => onDeny(field.current?.value.trim() ?? '');
  useLayoutEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && event.target === field.current) deny();
    else if (event.key === 'Escape') onBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="deny-row" onKeyDown={onKeyDown}>
      <textarea
        ref={field}
        class="input deny-word"
        rows={1}
        data-testid="decision-deny-word"
        aria-label={t('What should Tiller do instead?')}
        placeholder={t('What to do instead (optional)')}
      />
      <Button testid="decision-deny-send" kind="primary" shortcut="Enter" onClick={deny}>
        {t('Deny')}
      </Button>
      <Button testid="decision-deny-back" kind="quiet" shortcut="Esc" onClick={onBack}>
        {t('Cancel')}
      </Button>
    </div>
  );
}
