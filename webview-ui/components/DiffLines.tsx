import { useMemo } from 'preact/hooks';
import { plural, t } from '../l10n.ts';
import { type DiffHunk, type DiffLine, sharedIndent } from '../text/diff.ts';
import { highlight } from '../text/highlight.ts';
import { Runs } from './Runs.tsx';
import { pure } from './pure.tsx';

/** Maximum number of shown lines of a hunk: longer hunks can be read in the editor. */
const LINE_LIMIT = 300;

const SIGNS = { add: '+', delete: '−', context: ' ' } as const;
const CLASSES = { add: 'dl dl-add', delete: 'dl dl-del', context: 'dl dl-ctx' } as const;

const Line = pure(function Line({ line, indent, language }: { line: DiffLine; indent: number; language: string }) {
  const text = line.text.slice(indent);
  const runs = useMemo(() => (line.type === 'context' ? highlight(text, language) : null), [line, text, language]);
  return (
    <span class={CLASSES[line.type]}>
      <span class="dl-s">{SIGNS[line.type]}</span>
      <span class="dl-c">{runs === null ? text : <Runs runs={runs} />}</span>
    </span>
  );
});

/**
 * The lines of a hunk, without their common indentation and wrapped: a change that needs approval must be visible
 * without horizontal scrolling.
 */
export function DiffLines({ hunk, language, label }: { hunk: DiffHunk; language: string; label: string }) {
  const lines = hunk.content.slice(0, LINE_LIMIT);
  const indent = sharedIndent(lines);
  const hidden = hunk.content.length - lines.length;
  return (
    <>
      <pre class="diff" tabIndex={0} role="group" aria-label={label} data-testid="diff">
        <code>
          {lines.map((line, index) => (
            <Line key={index} line={line} indent={indent} language={language} />
          ))}
        </code>
      </pre>
      {hidden > 0 && <p class="diff-more">{plural(hidden, '{0} more line', '{0} more lines')}</p>}
    </>
  );
}

/** Describes the place of a hunk: `get() · 14–18`, `Line 3`, `new file`. */
export function placeOfHunk(hunk: DiffHunk, isNew: boolean): string {
  if (isNew) return t('new file');
  if (hunk.lines === null) return t('removed');
  const [first, last] = hunk.lines;
  const lines = first === last ? String(first) : `${first}–${last}`;
  const section = hunk.section.replace(/\s*\{\s*$/, '');
  if (section !== '') return `${section} · ${lines}`;
  return first === last ? t('Line {0}', lines) : t('Lines {0}', lines);
}
