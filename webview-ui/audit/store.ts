/** State of the page "Audit Log". */
import { batch, computed, signal } from '@preact/signals';
import type { AuditHostMessage, AuditLine, AuditPageMessage } from '../../src/protocol/auditWire.ts';
import { setTexts } from '../l10n.ts';
import { openPage } from '../page.ts';
import { searchText } from './search.ts';

export const lines = signal<readonly AuditLine[] | null>(null);
export const hasMore = signal(false);
export const filter = signal('');

/** The text that the filter searches in each line. It is computed once per line, and not at each key that is typed. */
const searchable = computed(() => (lines.value ?? []).map((line) => ({ line, text: searchText(line) })));
/** Lines that contain every word of the filter. */
export const shown = computed(() => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  return searchable.value.filter(({ text }) => words.every((word) => text.includes(word))).map(({ line }) => line);
});

export const post = openPage<AuditHostMessage, AuditPageMessage>((message) =>
  batch(() => {
    setTexts(message.texts);
    lines.value = message.lines;
    hasMore.value = message.hasMore;
  }),
);
