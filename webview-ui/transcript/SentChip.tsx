import { useState } from 'preact/hooks';
import type { Mention, UserImage, UserInput } from '../../src/protocol/item.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { post } from '../bridge.ts';
import { Icon } from '../components/Icon.tsx';
import { plural, t } from '../l10n.ts';
import { cwd } from '../store.ts';
import { imageFacts, labelOf, mentionIcon } from '../text/attachments.ts';
import { splitPath } from '../text/fileLink.ts';
import { tokens } from '../text/format.ts';

/** Shows the attachments of a sent message. */
export function SentChips({ content }: { content: readonly UserInput[] }) {
  if (content.every(({ type }) => type === 'text')) return null;
  return (
    <div class="chips">
      {content.map((part, index) => (
        <SentChip key={index} part={part} />
      ))}
    </div>
  );
}

/** One attachment. A mention opens to show the content that the model got. */
function SentChip({ part }: { part: UserInput }) {
  switch (part.type) {
    case 'text':
      return null;
    case 'mention':
      return part.sent === undefined ? (
        <PlainChip icon={iconOf(part)} label={part.name} title={part.path} />
      ) : (
        <SentMention mention={part} />
      );
    case 'image':
      return <SentImage image={part} />;
    case 'local_image':
      return <PlainChip icon="file-media" label={splitPath(part.path)[1]} title={part.path} />;
  }
}

function SentImage({ image }: { image: UserImage }) {
  const facts = imageFacts(image);
  return (
    <span class="chip chip-static" data-testid="sent-image" title={facts}>
      {image.thumbnail === undefined ? <Icon name="file-media" /> : <img src={image.thumbnail} alt="" />}
      <span class="chip-label">{labelOf(image)}</span>
      {facts !== '' && <span class="chip-detail">{facts}</span>}
    </span>
  );
}

function PlainChip({ icon, label, title }: { icon: string; label: string; title?: string }) {
  return (
    <span class="chip chip-static" title={title}>
      <Icon name={icon} />
      <span class="chip-label">{label}</span>
    </span>
  );
}

function SentMention({ mention }: { mention: Mention }) {
  const [isOpen, setOpen] = useState(false);
  const { name, path, sent, text = '', lines, quote } = mention;
  const isRefused = sent?.type === 'refused';
  return (
    <>
      <button
        type="button"
        class={isRefused ? 'chip chip-sent is-refused' : 'chip chip-sent'}
        data-testid="sent-mention"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isRefused ? 'circle-slash' : iconOf(mention)} />
        <span class="chip-label">{name}</span>
        <span class="chip-detail">{isRefused ? t('not attached') : sizeOf(mention)}</span>
      </button>
      {isOpen && (
        <div class="sent-what" data-testid="sent-what" role="group" aria-label={t('What was sent of {0}', name)}>
          <p class="sent-facts">
            {sent?.type === 'refused' ? insideOf(cwd.value, sent.reason) : factsOf(mention)}
            {path !== '' && (
              <button
                type="button"
                class="link"
                data-testid="sent-open"
                onClick={() =>
                  post({ type: 'open_file', path, ...(lines && { line: lines.first, ...(quote && { quote }) }) })
                }
              >
                {t('Open')}
              </button>
            )}
          </p>
          {text !== '' && <pre tabIndex={0}>{text}</pre>}
        </div>
      )}
    </>
  );
}

function iconOf({ kind, path }: Mention): string {
  return mentionIcon(kind, path);
}

function sizeOf({ sent, kind }: Mention): string {
  if (sent?.type !== 'text') return '';
  if (sent.of !== undefined) return t('{0} of {1}', sent.lines, sent.of);
  if (kind === 'folder') return plural(sent.lines, '{0} entry', '{0} entries');
  return plural(sent.lines, '{0} line', '{0} lines');
}

/** Describes what was sent: “40 of 300 lines, about 1,200 tokens”. */
function factsOf(mention: Mention): string {
  const { sent, kind } = mention;
  if (sent?.type !== 'text') return '';
  const size =
    sent.of === undefined
      ? sizeOf(mention)
      : kind === 'folder'
        ? t('The first {0} of {1} entries', sent.lines, sent.of)
        : t('The first {0} of {1} lines', sent.lines, sent.of);
  return t('{0}, about {1} tokens', size, tokens(sent.tokens));
}
