import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../l10n.ts';
import { endRename, ordered, renaming } from './store.ts';
import { rowId } from './ThreadLine.tsx';

/**
 * The field for a thread's new title. It lies over the thread's row, because a listbox may not contain a field. Enter
 * saves, Esc cancels.
 */
export function RenameField() {
  const id = renaming.value;
  const row = ordered.value.find((known) => known.id === id);
  return row === undefined ? null : <Field key={row.id} id={row.id} title={row.title ?? ''} />;
}

function Field({ id, title }: { id: string; title: string }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const row = document.getElementById(rowId(id));
    if (field.current === null || row === null) return;
    field.current.style.insetBlockStart = `${row.offsetTop}px`;
    field.current.focus();
    field.current.select();
  }, [id]);
  return (
    <input
      ref={field}
      class="input th-rename"
      data-testid="thread-rename"
      aria-label={t('New name of the thread')}
      maxLength={200}
      defaultValue={title}
      onBlur={({ currentTarget }) => endRename(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        event.stopPropagation();
        endRename(event.key === 'Enter' ? event.currentTarget.value : null);
      }}
    />
  );
}
