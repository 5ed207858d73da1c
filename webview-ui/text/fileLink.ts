/** Recognizes places in files as models write them: `src/http/client.ts:14`, `src/a.ts#L3`, `client.ts:14`. */

export interface FilePlace {
  readonly path: string;
  readonly line: number | null;
}

const PLACE =
  /^((?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])?(?:[\w@.()[\]+-]+[\\/])*[\w@()[\]+-][\w@.()[\]+-]*\.[A-Za-z]\w{0,9})(?:(?::|#L)(\d+)(?:[-:]L?\d+)?)?$/;

/**
 * Parses a place in a file. Returns `null` unless the text is certainly a file, which means that it has a folder or a
 * line: `policy.limit` does not.
 */
export function filePlaceOf(text: string): FilePlace | null {
  const [, path, line] = PLACE.exec(text) ?? [];
  if (path === undefined || (line === undefined && !/[\\/]/.test(path))) return null;
  return { path, line: line === undefined ? null : Number(line) };
}

/** Splits a path before its last part: `a/b/c.ts` → `['a/b/', 'c.ts']`. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return [path.slice(0, end), path.slice(end)];
}

/** Returns the HTML of a link; `escape` makes a text safe in HTML. */
export function fileLinkHtml({ path, line }: FilePlace, escape: (text: string) => string): string {
  const [folder, name] = splitPath(path);
  const data = `data-path="${escape(path)}"${line === null ? '' : ` data-line="${line}"`}`;
  const suffix = line === null ? '' : `<span class="file-line">:${line}</span>`;
  const title = escape(line === null ? path : `${path}:${line}`);
  return `<a class="file" href="#" title="${title}" ${data}><span class="file-dir">${escape(folder)}</span>${escape(name)}${suffix}</a>`;
}
