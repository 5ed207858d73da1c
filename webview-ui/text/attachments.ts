/** Attachments of a message. */
import type { Attachment } from '../../src/protocol/draft.ts';
import type { Mention, MentionKind, UserImage, UserInput } from '../../src/protocol/item.ts';
import { t } from '../l10n.ts';
import { splitPath } from './fileLink.ts';
import { bytes } from './format.ts';
import { type MentionRange, mentionRanges, unusedName } from '../../src/protocol/text/mentionTokens.ts';

/** Returns the attachments without those that the text no longer names. */
export function activeOf(text: string, attachments: readonly Attachment[]): readonly Attachment[] {
  const named = new Set(rangesOf(text, attachments).map(({ name }) => name));
  return attachments.filter(({ part, inText }) => !inText || (part.type === 'mention' && named.has(part.name)));
}

/** Returns the ranges of the text that name its attachments. */
export function rangesOf(text: string, attachments: readonly Attachment[]): readonly MentionRange[] {
  return mentionRanges(
    text,
    attachments.flatMap(({ part, inText }) => (inText && part.type === 'mention' ? [part.name] : [])),
  );
}

/** Adds attachments. One with the same key as an earlier one replaces it. */
export function withAttachments(
  attachments: readonly Attachment[],
  added: readonly Attachment[],
): readonly Attachment[] {
  return added.reduce<readonly Attachment[]>((all, attachment) => {
    const index = all.findIndex((other) => keyOf(other) === keyOf(attachment));
    return index === -1 ? [...all, attachment] : all.with(index, attachment);
  }, attachments);
}

/**
 * Adds a mention that the text is going to name. Returns the name to write, which is unambiguous in the text: two files
 * may have one name, and a file that the text already names keeps its name.
 */
export function withMention(
  text: string,
  attachments: readonly Attachment[],
  mention: Mention,
): { readonly name: string; readonly attachments: readonly Attachment[] } {
  const inText = activeOf(text, attachments).flatMap(({ part, inText }) =>
    inText && part.type === 'mention' ? [part] : [],
  );
  const known = inText.find((attachment) => thingOf(attachment) === thingOf(mention));
  const name = known?.name ?? unusedName([mention.name], new Set(inText.map((attachment) => attachment.name)));
  const added: Attachment = { part: { ...mention, name }, inText: true };
  // An attachment of this name that the text no longer names is removed: writing the name would bring it back.
  const others = attachments.filter(({ part, inText: isInText }) => {
    const isGone = isInText && part.type === 'mention' && part.name === name && !inText.includes(part);
    return !isGone;
  });
  return { name, attachments: withAttachments(others, [added]) };
}

/** Returns a key that is equal for two mentions of the same file, selection or other source, whatever their names. */
export function thingOf({ kind = 'selection', name, path, lines, id }: Mention): string {
  const key = path === '' && id === undefined ? name : path;
  return JSON.stringify([kind, key, id, lines?.first, lines?.last]);
}

/** Returns a key that is equal for two attachments of the same content. A message has only one of them. */
export function keyOf({ part, inText }: Attachment): string {
  switch (part.type) {
    case 'mention':
      return `${inText ? '@' : ''}${thingOf(part)}`;
    case 'image':
      return part.id ?? part.imageUrl;
    case 'local_image':
      return part.path;
  }
}

/** Codicons by file extension: a webview has no access to the icon theme. */
const ICONS: readonly (readonly [RegExp, string])[] = [
  [/\.(?:png|jpe?g|gif|webp|svg|ico|bmp|avif|mp4|mov|mp3|wav)$/i, 'file-media'],
  [/\.(?:md|mdx|markdown)$/i, 'markdown'],
  [/\.jsonc?$/i, 'json'],
  [/\.(?:zip|gz|tgz|xz|7z|vsix|jar)$/i, 'file-zip'],
  [/\.pdf$/i, 'file-pdf'],
  [/\.(?:ipynb)$/i, 'notebook'],
  [/\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$/i, 'terminal'],
  [/(?:^|\/)(?:package-lock\.json|.*\.lock)$/i, 'lock'],
  [/(?:^|\/)(?:\..*rc|.*\.(?:toml|ya?ml|ini|conf|cfg|editorconfig))$/i, 'settings'],
  [
    /(?:^|\/)(?:dockerfile|makefile|.*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|lua|html?|css|scss|less|vue|svelte|sql|xml|r|dart|ex|exs|hs|clj|zig))$/i,
    'file-code',
  ],
];

/** Returns the name of the codicon for a file, by its extension. */
export function fileIcon(path: string): string {
  return ICONS.find(([ending]) => ending.test(path))?.[1] ?? 'file';
}

/** Returns the name of the codicon for a mention. */
export function mentionIcon(kind: MentionKind | undefined, path: string): string {
  switch (kind) {
    case 'folder':
      return 'folder';
    case 'symbol':
      return 'symbol-method';
    case undefined:
    case 'selection':
      return 'list-selection';
    case 'problems':
      return 'warning';
    case 'terminal':
      return 'terminal';
    case 'changes':
      return 'source-control';
    case 'thread':
      return 'comment-discussion';
    case 'resource':
      return 'plug';
    case 'skill':
      return 'mortar-board';
    case 'prompt':
      return 'note';
    case 'file':
      return fileIcon(path);
  }
}

/** Returns the name of the codicon for a part of a message. */
export function partIcon(part: Exclude<UserInput, { type: 'text' }>): string {
  return part.type === 'mention' ? mentionIcon(part.kind, part.path) : 'file-media';
}

/** Returns the name of an attachment for display. */
export function labelOf(part: Exclude<UserInput, { type: 'text' }>): string {
  switch (part.type) {
    case 'mention':
      return part.name;
    case 'image':
      return part.name ?? t('Image');
    case 'local_image':
      return splitPath(part.path)[1];
  }
}

/** Describes an image: “1200 × 800, 340 kB”; empty if its size is not known. */
export function imageFacts({ width, height, bytes: size }: UserImage): string {
  if (width === undefined || height === undefined) return '';
  const pixels = t('{0} × {1}', width, height);
  return size === undefined ? pixels : t('{0}, {1}', pixels, bytes(size));
}
