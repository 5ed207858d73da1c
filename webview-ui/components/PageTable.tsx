import type { ComponentChildren } from 'preact';

/** A table on a page. On a narrow page each row is shown as a list of its cells. */
export function PageTable({
  testid,
  columns,
  rows,
}: {
  testid: string;
  columns: readonly ComponentChildren[];
  rows: readonly ComponentChildren[];
}) {
  return (
    <table class="page-table" role="table" data-testid={testid}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column, index) => (
            <th key={index} scope="col" role="columnheader">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{rows}</tbody>
    </table>
  );
}
