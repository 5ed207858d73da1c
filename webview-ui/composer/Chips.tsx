import type { Attachment } from '../../src/protocol/draft.ts';
import { setDraft } from '../actions.ts';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import {
  attachments,
  attachProblem,
  draft,
  isSelectionAttached,
  selection,
  selectionChoice,
  settings,
} from '../store.ts';
import { imageFacts, keyOf, labelOf, partIcon, thingOf } from '../text/attachments.ts';
import { splitPath } from '../text/fileLink.ts';

/** The chips of attachments that the text does not name. */
export function Chips({ onRemoved }: { onRemoved: () => void }) {
  const shown = attachments.value.filter(({ inText }) => !inText);
  const { value: selected } = selection;
  const isNamed = shown.some(
    ({ part }) => part.type === 'mention' && selected !== null && thingOf(part) === thingOf(selected),
  );
  const problem = attachProblem.value ?? lateProblem(shown);
  return (
    <>
      {(shown.length > 0 || (selected !== null && !isNamed)) && (
        <ul class="chips composer-chips" aria-label={t('Attached')} data-testid="attachments">
          {shown.map((attachment) => (
            <Chip key={keyOf(attachment)} attachment={attachment} onRemoved={onRemoved} />
          ))}
          {selected !== null && !isNamed && <SelectionChip name={selected.name} onChanged={onRemoved} />}
        </ul>
      )}
      <p class="composer-problem" role="alert" data-testid="attach-problem">
        {problem}
      </p>
    </>
  );
}

/** Returns the warning for images that were attached before the user chose a model that takes no images. */
function lateProblem(shown: readonly Attachment[]): string | null {
  const { takesImages = true, model = null } = settings.value ?? {};
  const hasImage = shown.some(({ part }) => part.type === 'image');
  return hasImage && !takesImages ? t('{0} takes no images: they will not be sent.', model ?? '') : null;
}

function Chip({ attachment, onRemoved }: { attachment: Attachment; onRemoved: () => void }) {
  const { part } = attachment;
  const name = labelOf(part);
  return (
    <li class="chip" data-testid="attachment" title={part.type === 'image' ? imageFacts(part) : part.path || name}>
      {part.type === 'image' && part.thumbnail !== undefined ? (
        <img src={part.thumbnail} alt="" />
      ) : (
        <Icon name={partIcon(part)} />
      )}
      <span class="chip-label">{part.type === 'mention' && part.path !== '' ? splitPath(name)[1] || name : name}</span>
      {part.type === 'image' && <span class="chip-detail">{imageFacts(part)}</span>}
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

/** The chip of the editor's selection. A click attaches the selection or leaves it out. */
function SelectionChip({ name, onChanged }: { name: string; onChanged: () => void }) {
  const isAttached = isSelectionAttached.value;
  const action = isAttached ? t('Leave out the selection {0}', name) : t('Attach the selection {0}', name);
  return (
    <li class={isAttached ? 'chip' : 'chip is-off'} data-testid="selection" data-attached={isAttached} title={name}>
      <Icon name="list-selection" />
      <span class="chip-label">{splitPath(name)[1] || name}</span>
      <button
        type="button"
        class="chip-x"
        data-testid="selection-toggle"
        aria-label={action}
        title={action}
        onClick={() => {
          selectionChoice.value = { name, isAttached: !isAttached };
          onChanged();
        }}
      >
        <Icon name={isAttached ? 'close' : 'add'} />
      </button>
    </li>
  );
}
