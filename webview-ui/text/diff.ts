/** Parses unified diffs in git format. */

export interface DiffLine {
  readonly type: 'add' | 'delete' | 'context';
  readonly text: string;
}

export interface DiffHunk {
  /** The first and last line after the change; `null` if no lines are left. */
  readonly lines: readonly [first: number, last: number] | null;
  /** The text after the second `@@`: the enclosing function, if git knows it. */
  readonly section: string;
  readonly content: readonly DiffLine[];
}

export interface FileDiff {
  /** The path after the change; for a deleted file the path before. */
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/**
 * Parses a diff. Unknown lines between files are skipped. The counts in a hunk's header determine where the hunk ends.
 */
export function parseUnifiedDiff(diff: string): readonly FileDiff[] {
  const files: { path: string; hunks: DiffHunk[] }[] = [];
  let file: { path: string; hunks: DiffHunk[] } | undefined;
  let hunk: { content: DiffLine[]; before: number; after: number } | undefined;
  for (const line of diff.split('\n')) {
    if (hunk !== undefined && (hunk.before > 0 || hunk.after > 0)) {
      takeLine(hunk, line);
      continue;
    }
    const head = HUNK.exec(line);
    if (head !== null && file !== undefined) {
      const [, before = '1', start = '0', after = '1', section = ''] = head;
      const [first, count] = [Number(start), Number(after)];
      hunk = { content: [], before: Number(before), after: count };
      file.hunks.push({ lines: count === 0 ? null : [first, first + count - 1], section, content: hunk.content });
    } else if (line.startsWith('diff --git ')) {
      file = { path: pathInHeader(line), hunks: [] };
      files.push(file);
    } else if (line.startsWith('--- ') && (file === undefined || file.hunks.length > 0)) {
      file = { path: stripSide(line.slice(4)), hunks: [] };
      files.push(file);
    } else if (file !== undefined && /^(\+\+\+|rename to) /.test(line)) {
      const path = stripSide(line.replace(/^(\+\+\+|rename to) /, ''));
      if (path !== '/dev/null') file.path = path;
    }
  }
  return files;
}

function takeLine(hunk: { content: DiffLine[]; before: number; after: number }, line: string): void {
  if (line.startsWith('\\')) return;
  const type = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'delete' : 'context';
  if (type !== 'add') hunk.before--;
  if (type !== 'delete') hunk.after--;
  hunk.content.push({ type, text: line.slice(1) });
}

function stripSide(path: string): string {
  return path
    .replace(/\t.*$/, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(/^[ab]\//, '');
}

function pathInHeader(line: string): string {
  return / b\/(.*)$/.exec(line)?.[1] ?? line.slice('diff --git '.length);
}

/** Returns the width of the indentation that all lines share, which can be removed. */
export function sharedIndent(lines: readonly DiffLine[]): number {
  const indents = lines.filter(({ text }) => text.trim() !== '').map(({ text }) => text.search(/\S/));
  return indents.reduce((least, indent) => Math.min(least, indent), indents[0] ?? 0);
}

/** Returns the diff of one changed file. As in git, a diff has absolute paths without their first slash. */
export function diffOf(
  { path, movedTo = path }: { readonly path: string; readonly movedTo?: string | undefined },
  diffs: readonly FileDiff[],
): FileDiff | undefined {
  const names = new Set([path, movedTo].map(nameInDiff));
  return diffs.find((diff) => names.has(nameInDiff(diff.path)));
}

function nameInDiff(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\//, '');
}
