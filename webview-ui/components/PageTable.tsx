import type { ComponentChildren } from 'preact';

/** A table of a page, which is a list of cells where the page is narrow. */
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
