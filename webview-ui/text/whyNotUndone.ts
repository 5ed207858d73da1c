import type { LeftOutReason } from '../../src/protocol/baseline.ts';
import { t } from '../l10n.ts';

/** Returns a sentence with the reason why a change was not undone. */
export function whyNotUndone(reason: LeftOutReason): string {
  const sentences: Readonly<Record<LeftOutReason, string>> = {
    ignored: t('It is ignored, so its content is not kept.'),
    too_large: t('It is larger than 1 MiB, so its content is not kept.'),
    link: t('It is a symbolic link, and where it led was not kept.'),
    special: t('It is a socket, a pipe or a device.'),
    unreadable: t('It could not be read.'),
    name: t('Its name is not UTF-8.'),
    no_room: t('There was no room left to keep its content.'),
    late: t('It was changed before its content was recorded.'),
  };
  return sentences[reason];
}
