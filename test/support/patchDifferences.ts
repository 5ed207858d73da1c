/**
 * The outcomes that intentionally differ from those of the reference and cannot be avoided by rewriting the patch
 * (design.md decision 4). (a) is handled in `comparable`, (b) and the rest of (d) in `inReferenceWords`; (c) has no
 * effect on a tree of texts.
 */
import { posix } from 'node:path';
import type { PatchOperation } from '../../src/core/patch/operation.ts';
import { parsePatch } from '../../src/core/patch/parse.ts';
import { plain, trim, trimStart } from '../../src/core/patch/whitespace.ts';
import type { PatchCase, SampleTree } from './patchCases.ts';
import type { PatchOutcome } from './patchOutcome.ts';

type Update = Extract<PatchOperation, { type: 'update' }>;

/** The complete list of differences. Each one explains outcomes that differ in no other way. */
const INTENDED: Readonly<
  Record<'d' | 'e', (sample: PatchCase, reference: PatchOutcome, ours: PatchOutcome) => boolean>
> = {
  /** If a stack of `@@` lines is not found after the chunk before it, Tiller searches it from the top of the file. */
  d: (sample, reference) =>
    reference.type === 'failed' &&
    ['context_not_found', 'lines_not_found'].includes(reference.category) &&
    repeatsAParent(sample),
  /** If a quote has another indentation, Tiller shifts the added lines or refuses the patch. */
  e: (sample, reference, ours) => {
    if (!quotesAnotherIndentation(sample)) return false;
    if (ours.type === 'failed') return ours.category === 'indentation_differs';
    return reference.type === 'applied' && isSameButForIndentation(sample, reference, ours);
  },
};

/** Returns the letter of the difference that explains the outcome, if there is one. */
export function intendedDifference(
  sample: PatchCase,
  reference: PatchOutcome,
  ours: PatchOutcome,
): keyof typeof INTENDED | undefined {
  if (INTENDED.e(sample, reference, ours)) return 'e';
  return INTENDED.d(sample, reference, ours) ? 'd' : undefined;
}

function updatesOf({ patch }: PatchCase): readonly Update[] {
  const parsed = parsePatch(patch);
  return parsed.type === 'patch' ? parsed.operations.filter((operation) => operation.type === 'update') : [];
}

/**
 * Returns the lines of the file before the patch; `undefined` if an earlier operation of the patch may have changed it.
 */
function linesOf({ path }: Update, sample: PatchCase): readonly string[] | undefined {
  const name = (written: string) => posix.relative('/work', posix.resolve('/work', written));
  const touched = updatesOf(sample).filter((update) =>
    [update.path, update.movedTo ?? update.path].map(name).includes(name(path)),
  );
  const text = sample.files[name(path)];
  return touched.length === 1 && typeof text === 'string' ? text.split(/\r\n|\n|\r/) : undefined;
}

/** Returns true if one of the stacks is also found before the chunk that precedes it. */
function repeatsAParent(sample: PatchCase): boolean {
  return updatesOf(sample).some((update) => {
    const lines = linesOf(update, sample)?.map(plain);
    return update.chunks.slice(1).some(({ contexts }) => {
      if (contexts.length < 2) return false;
      let at = -1;
      return lines === undefined || contexts.every((context) => (at = lines.indexOf(plain(context), at + 1)) !== -1);
    });
  });
}

/** Returns true if one of the chunks matches its file except for the blanks at the start of a line. */
function quotesAnotherIndentation(sample: PatchCase): boolean {
  return updatesOf(sample).some((update) => {
    const lines = linesOf(update, sample);
    return update.chunks.some((chunk) => {
      const old = chunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
      while (old.at(-1) === '') old.pop();
      if (old.length === 0) return false;
      if (lines === undefined) return true;
      return lines.some((_, start) => {
        const there = lines.slice(start, start + old.length);
        return (
          there.map(plain).join('\n') === old.map(plain).join('\n') &&
          there.some((line, index) => trim(line) !== '' && lead(line) !== lead(old[index] ?? ''))
        );
      });
    });
  });
}

function lead(line: string): string {
  return line.slice(0, line.length - trimStart(line).length);
}

function isSameButForIndentation(
  sample: PatchCase,
  reference: Extract<PatchOutcome, { type: 'applied' }>,
  ours: Extract<PatchOutcome, { type: 'applied' }>,
): boolean {
  const added = new Set(
    updatesOf(sample).flatMap(({ chunks }) =>
      chunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'add').map(({ text }) => trim(text))),
    ),
  );
  const unindented = (tree: SampleTree) =>
    Object.entries(tree)
      .map(([path, text]) => [path, typeof text === 'string' ? text.split(/\r\n|\n|\r/).map(trimStart) : text])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  const allAdded = Object.entries(ours.tree).every(([path, text]) => {
    const theirs = reference.tree[path];
    if (typeof text !== 'string' || typeof theirs !== 'string') return text === theirs;
    const lines = theirs.split(/\r\n|\n|\r/);
    return text.split(/\r\n|\n|\r/).every((line, index) => line === lines[index] || added.has(trim(line)));
  });
  const reports = [reference, ours].map(({ report }) =>
    report.map((line) => line.slice(0, 2) + posix.normalize(line.slice(2))),
  );
  return (
    allAdded &&
    JSON.stringify(reports[0]) === JSON.stringify(reports[1]) &&
    JSON.stringify(unindented(reference.tree)) === JSON.stringify(unindented(ours.tree))
  );
}
