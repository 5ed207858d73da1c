import type { ComponentChildren } from 'preact';
import { t } from '../l10n.ts';

/** A section with one table, whose last column has the actions on a row; nothing when the table is empty. */
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
      <table class="page-table" role="table" data-testid={testid}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column} scope="col" role="columnheader">
                {column}
              </th>
            ))}
            <th scope="col" role="columnheader">
              <span class="sr">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">{rows}</tbody>
      </table>
    </section>
  );
}
