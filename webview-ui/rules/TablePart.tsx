import type { ComponentChildren } from 'preact';
import { PageTable } from '../components/PageTable.tsx';
import { t } from '../l10n.ts';

/** A section with one table. The last column has the actions on a row. An empty table is not shown. */
export function TablePart({
  title,
  testid,
  columns,
  rows,
}: {
  title: string;
  testid: string;
  columns: readonly string[];
  rows: readonly ComponentChildren[];
}) {
  if (rows.length === 0) return null;
  return (
    <section class="page-part" aria-label={title}>
      <h2>{title}</h2>
      <PageTable testid={testid} columns={[...columns, <span class="sr">{t('Actions')}</span>]} rows={rows} />
    </section>
  );
}
