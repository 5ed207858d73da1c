import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { filePlaceOf } from '../../webview-ui/text/fileLink.ts';
import { type Block, MarkdownStream, renderMarkdown } from '../../webview-ui/text/markdown.ts';
import { decodeHTMLStrict } from '../../webview-ui/text/namedCharacters.ts';
import { rounds } from '../support/rounds.ts';

const html = (text: string) =>
  renderMarkdown(text)
    .map((block) => (block.type === 'html' ? block.html : ''))
    .join('');

/** Blank lines between blocks are ignored; everything else must be equal. */
const comparable = (blocks: readonly Block[]) =>
  blocks.map((block) =>
    block.type === 'html' ? block.html.replace(/\n+/g, '\n').trim() : `${block.info}|${block.code.replace(/\n+$/, '')}`,
  );

const FRAGMENTS = [
  '# H\n',
  'para ',
  '\n',
  '\n\n',
  '- a\n',
  '  - b\n',
  '1. x\n',
  '```ts\n',
  'code();\n',
  '```\n',
  '````\n',
  '~~~\n',
  '> q\n',
  '> ```\n',
  '| a | b |\n|:-:|--|\n',
  '| 1 | 2 |\n',
  '---\n',
  '    ind\n',
  '**b**',
  '`x`',
  '``` a`b\n',
  '   ```\n',
  '  ```py\n',
  '[a][r] ',
  '\n[r]: https://example.com\n',
  'https://example.com/a_b.',
  '`src/a.ts:3`',
  '&mdash; ',
  '\\',
];

describe('a text that streams', () => {
  it('has the same blocks in the end as a text in one piece, however it was split', () => {
    const text = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (fragments, size) => {
        const whole = fragments.join('');
        const stream = new MarkdownStream();
        for (let end = size; end < whole.length; end += size) stream.update(whole.slice(0, end));
        assert.deepEqual(comparable(stream.finish(whole)), comparable(renderMarkdown(whole)));
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it('never changes a finished block', () => {
    const stream = new MarkdownStream();
    const [first] = stream.update('One.\n\nTwo\n');
    const [again] = stream.update('One.\n\nTwo, and more of it.\n\nThree');
    assert.equal(first, again);
  });

  it('shows an open fence as code from its first line on', () => {
    const stream = new MarkdownStream();
    const open = { type: 'code', info: 'ts a.ts', complete: false };
    assert.deepEqual(stream.update('```ts a.ts\nconst a'), [{ ...open, code: 'const a' }]);
    assert.deepEqual(stream.update('```ts a.ts\nconst a = 1;\n'), [{ ...open, code: 'const a = 1;\n' }]);
    assert.deepEqual(stream.update('```ts a.ts\nconst a = 1;\n```\n'), [
      { ...open, code: 'const a = 1;\n', complete: true },
    ]);
  });
});

describe('Markdown of a model', () => {
  it('contains no HTML, no script, no image, no inline style', () => {
    const hostile =
      '<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](command:x) [c](data:text/html,x) ![d](https://e.com/p.png)\n\n| a |\n|:-:|\n| 1 |\n';
    const result = html(hostile);
    assert.doesNotMatch(result, /<img|<script|style=|href="(javascript|command|data):/i);
    assert.match(result, /<th class="align-center">/);
  });

  it('has links where it names a URL or a file', () => {
    assert.match(html('see https://example.com/a_b_c, ok'), /<a class="link" href="https:\/\/example.com\/a_b_c">/);
    assert.match(html('[it](src/a.ts#L3)'), /data-path="src\/a.ts" data-line="3"/);
    assert.match(
      html('`src/a.ts:14`'),
      /data-path="src\/a.ts" data-line="14".*<span class="file-dir">src\/<\/span>a.ts/,
    );
    assert.match(html('`policy.limit`'), /<code>policy.limit<\/code>/);
  });

  it('has headings below those of the turn', () => {
    assert.match(html('# One\n### Two\n'), /<h4>One<\/h4>\s*<h4>Two<\/h4>/);
  });
});

it('distinguishes files from other words with dots', () => {
  const places = [
    'src/a.ts',
    'a.ts:3',
    './x/y.test.tsx#L5',
    '/etc/hosts.conf',
    'C:\\a\\b.cs',
    'policy.limit',
    'e.g.',
    'a/b',
    '1.5',
    'npm test',
  ];
  assert.deepEqual(
    places.map((text) => filePlaceOf(text)?.line ?? (filePlaceOf(text) === null ? 'no' : 'yes')),
    ['yes', 3, 5, 'yes', 'yes', 'no', 'no', 'no', 'no', 'no'],
  );
});

it('decodes named characters', () => {
  assert.equal(
    ['&mdash;', '&#65;', '&#x1f600;', '&unknown;', '&#0;'].map(decodeHTMLStrict).join(' '),
    '— A 😀 &unknown; \ufffd',
  );
});

it('does not decode the name of an inherited property', () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype).map((name) => `&${name};`);
  assert.deepEqual(inherited.map(decodeHTMLStrict), inherited);
  assert.equal(html('See &constructor; and &amp;.').trim(), '<p>See &amp;constructor; and &amp;.</p>');
});
