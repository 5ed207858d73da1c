import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReviewOutput } from '../../../src/core/session/reviewOutput.ts';
import { findQuote, quoteOf } from '../../../src/protocol/text/quote.ts';

const at = (path: unknown, start: unknown, end = start) => ({
  code_location: { absolute_file_path: path, line_range: { start, end } },
});
const read = (findings: readonly object[], more: object = {}) =>
  readReviewOutput(JSON.stringify({ findings, ...more }));

describe('the answer of a reviewer', () => {
  it('is read in the form of Codex, the worst finding first', () => {
    const verdict = { overall_correctness: 'patch is incorrect', overall_explanation: ' It breaks. ' };
    const low = { title: 'Low', body: 'b', confidence_score: 0.5, priority: 3, ...at('/w/a.ts', 1, 2) };
    const high = { title: '[P1] High', body: 'b', confidence_score: 1.5, ...at('a.ts', 4) };
    expect(read([low, high], verdict)).toEqual({
      type: 'read',
      isCorrect: false,
      text: 'It breaks.',
      findings: [
        { title: 'High', body: 'b', priority: 1, confidence: 1, named: 'a.ts', lines: { first: 4, last: 4 } },
        { title: 'Low', body: 'b', priority: 3, confidence: 0.5, named: '/w/a.ts', lines: { first: 1, last: 2 } },
      ],
    });
    expect(read([], { overall_correctness: 'patch is correct' })).toMatchObject({ isCorrect: true, findings: [] });
  });

  it.each([[at('a.ts', 0)], [at('a.ts', 4, 2)], [at('a.ts', 1.5)]])(
    'keeps a finding without lines that cannot be: %j',
    (place) => {
      expect(read([{ title: 'T', ...place }])).toMatchObject({ findings: [{ title: 'T', body: '', named: 'a.ts' }] });
      expect(read([{ title: 'T', ...place }])).not.toHaveProperty('findings.0.lines');
    },
  );

  it.each([[at(7, 1)], [{ code_location: 'a.ts:1' }], [{ code_location: null }], [{}]])(
    'keeps a finding whose place has another form: %j',
    (place) => {
      expect(read([{ title: 'T', ...place }])).toMatchObject({ findings: [{ title: 'T', body: '' }] });
    },
  );

  it.each([
    ['', 'it has no JSON object.'],
    ['No findings {at all}.', 'it has no JSON object.'],
    ['{"findings": [', 'it has no JSON object.'],
    ['[]', /^Invalid input/],
    ['{"findings": [{"body": "b"}]}', /^findings\.0\.title: /],
  ])('is malformed, with the reason: %s', (text, problem) => {
    expect(readReviewOutput(text)).toEqual({ type: 'malformed', problem: expect.stringMatching(problem) });
  });

  it('never throws, and keeps every bound', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"findings":${json}}`),
        ),
        (text) => {
          const output = readReviewOutput(text);
          if (output.type === 'read') expect(output.findings.length).toBeLessThanOrEqual(100);
        },
      ),
    );
    const many = read(Array.from({ length: 300 }, () => ({ title: 'T'.repeat(1_000), body: 'b'.repeat(20_000) })));
    expect(many.type === 'read' && many.findings.map(({ title, body }) => [title.length, body.length])).toEqual(
      Array.from({ length: 100 }, () => [200, 8_000]),
    );
  });
});

describe('a quote', () => {
  const text = 'one\ntwo\n  three\ntwo\nfour\n';

  it('has the lines, and nothing where the text ends before them', () => {
    expect(quoteOf(text, { first: 2, last: 3 })).toBe('two\n  three');
    expect(quoteOf('a\r\nb', { first: 2, last: 2 })).toBe('b');
    expect(quoteOf(text, { first: 6, last: 7 })).toBe(undefined);
  });

  it('is found at the nearest place, also with another indentation', () => {
    expect(findQuote(text, 'two', { first: 3, last: 3 })).toEqual({ first: 2, last: 2 });
    expect(findQuote(text, 'two', { first: 4, last: 4 })).toEqual({ first: 4, last: 4 });
    expect(findQuote(text, 'three\n two', { first: 40, last: 41 })).toEqual({ first: 3, last: 4 });
    expect(findQuote(text, 'five', { first: 1, last: 1 })).toBe(undefined);
    expect(findQuote(text, ' ', { first: 6, last: 6 })).toBe(undefined);
  });
});
