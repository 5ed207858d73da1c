import { expect, it } from 'vitest';
import { PATCH_INSTRUCTIONS } from '../../../src/core/patch/grammar.ts';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { formatPatchReport } from '../../../src/core/patch/report.ts';

it('the report of a patch lists files: added, then modified, then deleted', () => {
  const report = [
    { kind: 'D', path: 'd' },
    { kind: 'M', path: 'm' },
    { kind: 'A', path: 'b' },
    { kind: 'A', path: 'a' },
    { kind: 'M', path: 'm' },
  ] as const;
  expect(formatPatchReport(report)).toBe('Patch applied to these files:\nA b\nA a\nM m\nM m\nD d\n');
});

it('the report of a patch that deletes a file and adds it again says that it is modified', () => {
  const report = [
    { kind: 'D', path: 'a' },
    { kind: 'A', path: 'a' },
    { kind: 'A', path: 'b' },
    { kind: 'D', path: 'b' },
  ] as const;
  expect(formatPatchReport(report)).toBe('Patch applied to these files:\nA b\nM a\nD b\n');
});

it('the help of apply_patch explains the format by a patch that parses, in few words', () => {
  const example = /\*\*\* Begin Patch[^]*\*\*\* End Patch/.exec(PATCH_INSTRUCTIONS)?.[0] ?? '';
  expect(parsePatch(example)).toMatchObject({ type: 'patch', operations: [{}, {}, {}] });
  expect(Buffer.byteLength(PATCH_INSTRUCTIONS)).toBeLessThanOrEqual(1500);
});
