import type { Attachment } from '../../src/protocol/draft.ts';
import { setDraft } from '../actions.ts';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import { attachments, draft } from '../store.ts';
import { keyOf, partIcon } from '../text/attachments.ts';
import { splitPath } from '../text/fileLink.ts';

/** What goes with the message and is not in its text. */
export function Chips({ onRemoved }: { onRemoved: () => void }) {
  const shown = attachments.value.filter(({ inText }) => !inText);
  if (shown.length === 0) return null;
  return (
    <ul class="chips composer-chips" aria-label={t('Attached')} data-testid="attachments">
      {shown.map((attachment) => (
        <Chip key={keyOf(attachment)} attachment={attachment} onRemoved={onRemoved} />
      ))}
    </ul>
  );
}

function Chip({ attachment, onRemoved }: { attachment: Attachment; onRemoved: () => void }) {
  const { part } = attachment;
  const name = labelOf(part);
  return (
    <li class="chip" data-testid="attachment" title={part.type === 'image' ? undefined : part.path}>
      <Icon name={partIcon(part)} />
      <span class="chip-label">{name}</span>
      <button
        type="button"
        class="chip-x"
        data-testid="attachment-remove"
        aria-label={t('Remove {0}', name)}
        title={t('Remove {0}', name)}
        onClick={() => {
          setDraft(
            draft.value,
            attachments.value.filter((other) => other !== attachment),
          );
          onRemoved();
        }}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function labelOf(part: Attachment['part']): string {
  switch (part.type) {
    case 'mention':
      return part.name;
    case 'image':
      return t('Image');
    case 'local_image':
      return splitPath(part.path)[1];
  }
}
