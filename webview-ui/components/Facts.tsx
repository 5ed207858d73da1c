import type { ComponentChildren } from 'preact';
import { t } from '../l10n.ts';

/** `+12 −5` */
export function LineCount({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="count">
      {added > 0 && <span class="add">{`+${added}`}</span>}
      {added > 0 && removed > 0 && ' '}
      {removed > 0 && <span class="del">{`−${removed}`}</span>}
      {(added > 0 || removed > 0) && <span class="sr">{t('{0} lines added, {1} removed', added, removed)}</span>}
    </span>
  );
}

/** Text that is hidden when the panel is narrow. */
export function Soft({ children }: { children: ComponentChildren }) {
  return <span class="soft">{children}</span>;
}

/** One line of a table of facts, a `<dl>`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
