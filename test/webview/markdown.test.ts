import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { commandsIn, isUnifiedDiff, readInfo } from '../../webview-ui/text/codeInfo.ts';
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
  '$$\n',
  'x^2 $$\n',
  '\\[ a\n',
  '\\]\n',
  '\\(a_b\\) ',
  '$a$ ',
  '- [x] t\n',
  '![p](p.png) ',
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

  it('draws a text once that is given in part again', () => {
    const stream = new MarkdownStream();
    for (const length of [12, 4, 18]) stream.update('One.\n\nTwo three four'.slice(0, length));
    assert.deepEqual(stream.finish('One.\n\nTwo three four'), renderMarkdown('One.\n\nTwo three four'));
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
    assert.match(result, /<th dir="auto" class="align-center">/);
  });

  it('has links where it names a URL or a file', () => {
    assert.match(html('see https://example.com/a_b_c, ok'), /<a class="link" href="https:\/\/example.com\/a_b_c">/);
    assert.match(html('[it](src/a.ts#L3)'), /data-path="src\/a.ts" data-line="3"/);
    assert.match(
      html('`src/a.ts:14`'),
      /data-path="src\/a.ts" data-line="14".*<span class="file-dir">src\/<\/span>a.ts/,
    );
    assert.match(html('`policy.limit`'), /<code>policy.limit<\/code>/);
    assert.match(html('[it](client.ts:14)'), /data-path="client.ts" data-line="14"/);
    assert.doesNotMatch(html('[it](vscode:14) [it](x.y:command)'), /<a/);
  });

  it('shows tasks with their state', () => {
    const list = html('- [x] done `a`\n- [ ] open\n- [z] none\n');
    assert.match(
      list,
      /<li class="task is-done" dir="auto"><span [^>]*role="img" aria-label="Done"><\/span>done <code>/,
    );
    assert.match(list, /class="task" dir="auto"><span [^>]*aria-label="Not done"><\/span>open/);
    assert.match(list, /<li dir="auto">\[z\] none/);
  });

  it('names pictures: one of the workspace is a link that the page turns into the picture, another one a link', () => {
    assert.match(
      html('![A & B](docs/a%20b.png)'),
      /<a class="file md-image" [^>]*data-image="docs\/a b.png">image: A &amp; B<\/a>/,
    );
    assert.match(html('![A](https://e.com/p.png)'), /<a class="link" href="https:\/\/e.com\/p.png"[^>]*>image: A<\/a>/);
    assert.match(html('[![A](a.png)](https://e.com)'), /<a class="link" [^>]*>image: A<\/a>/);
    assert.doesNotMatch(html('![A](data:image/png;base64,AA)'), /<a/);
  });

  it('keeps formulas as they were written, with their source for the page', () => {
    const formulas = (text: string) =>
      [...html(text).matchAll(/data-formula="([^"]*)"( data-display)?>/g)].map(
        ([, one, block]) => `${block ? 'block' : 'inline'} ${one}`,
      );
    assert.deepEqual(formulas('a \\(x_1*y\\) b $\\alpha$ c\n\n$$\nx < 1\n+ y\n$$\n\n\\[ z \\]\n'), [
      'inline x_1*y',
      'inline \\alpha',
      'block x &lt; 1\n+ y',
      'block z',
    ]);
    assert.deepEqual(formulas('It costs $5 and $10; `$a$`, $HOME and $PATH, $ y $, $1$2'), []);
    assert.deepEqual(formulas('Set $HOME/$USER, $PATH:$HOME, a$b$ and $x$y.'), []);
    assert.deepEqual(formulas('($x$), $y$.'), ['inline x', 'inline y']);
    assert.deepEqual(formulas('\\$x$'), []);
    assert.match(html('\\(a^2\\)'), />\\\(a\^2\\\)<\/code>/);
    assert.match(html('$$\nopen\n\nnext'), /<p dir="auto">\$\$\nopen<\/p>/);
  });

  it('has a header with a copy button on a block of code in a list', () => {
    assert.match(
      html('- a\n  ```ts\n  b();\n  ```\n'),
      /<figure class="code code-nested".*TypeScript.*data-act="copy".*<code>b\(\);\n<\/code>/s,
    );
  });

  it('has headings below those of the turn', () => {
    assert.match(
      html('# One\n### Two\n'),
      /<h4 dir="auto" class="md-h1">One<\/h4>\s*<h4 dir="auto" class="md-h3">Two<\/h4>/,
    );
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

it('keeps the lines that continue a command of a session, and leaves out its output', () => {
  const sessions = {
    '$ cat a \\\n> b\nA\n$ ls': 'cat a \\\nb\nls',
    '$ cat a \\\n  > b': 'cat a \\\n  > b',
    '$ cat <<EOF\n> one\n> EOF\none': 'cat <<EOF\none\nEOF',
    "$ cat <<'EOF'\n$one\nEOF\n$one": "cat <<'EOF'\n$one\nEOF",
    '$ for f in *; do\n> echo $f\n> done\na.txt': 'for f in *; do\necho $f\ndone',
    "$ echo 'one\ntwo'\none": "echo 'one\ntwo'",
    '$ npm run build\n> tiller@1.0.0 build\n> node build.mjs\n': 'npm run build',
    "% echo \"it's\" # don't\nit's": 'echo "it\'s" # don\'t',
    '\n$ a |\n  b\nout': 'a |\n  b',
  };
  assert.deepEqual(
    Object.keys(sessions).map((code) => commandsIn('console', code)),
    Object.values(sessions),
  );
});

it('finds the commands of a block for the terminal, and the diffs that can be applied', () => {
  assert.equal(commandsIn('console', '$ npm ci\nadded 3\n$ npm test\n'), 'npm ci\nnpm test');
  assert.equal(commandsIn('sh', 'npm ci\n'), 'npm ci');
  for (const script of ['cat list.txt \\\n  > out.txt', 'cat <<EOF\n$ no prompt\n> quoted\nEOF', 'a\n% b']) {
    assert.equal(commandsIn('sh', `${script}\n`), script);
  }
  assert.equal(commandsIn('ts', 'npm ci'), null);
  assert.equal(commandsIn('bash', ' \n'), null);
  assert.equal(isUnifiedDiff('diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'), true);
  assert.equal(isUnifiedDiff('diff', '-a\n+b\n'), false);
  assert.deepEqual(
    ['ts src/a.ts', 'src/a.py', 'ts', 'zz', ''].map((info) => readInfo(info).title),
    ['src/a.ts', 'src/a.py', 'TypeScript', 'zz', 'text'],
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
  assert.equal(html('See &constructor; and &amp;.').trim(), '<p dir="auto">See &amp;constructor; and &amp;.</p>');
});
