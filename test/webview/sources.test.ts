import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => ({ file, text: readFileSync(path.join(root, file), 'utf8') });
const sources = readdir('webview-ui').map(read);

function readdir(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join(folder, file));
}

describe('the sources of the panel', () => {
  it('have every control of docs/testids.md, and no other', () => {
    const used = sources.flatMap(({ text }) =>
      [...text.matchAll(/\btestid[=:] ?["']([\w-]+)["']/g), ...text.matchAll(/data-testid="([\w-]+)"/g)].map(
        ([, id]) => id,
      ),
    );
    const listed = [...readFileSync(path.join(root, 'docs/testids.md'), 'utf8').matchAll(/^\| `([\w-]+)`/gm)].map(
      ([, id]) => id,
    );
    assert.deepEqual(
      used.filter((id) => !listed.includes(id)),
      [],
      'used, not listed',
    );
    assert.deepEqual(
      listed.filter((id) => !used.includes(id)),
      [],
      'listed, not used',
    );
  });

  it('have the labels of docs/testids.md', () => {
    const texts = [...sources, ...readdir('src/protocol').map(read)].flatMap(({ text }) =>
      [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)].map(([, found = '']) => found),
    );
    const rows = readFileSync(path.join(root, 'docs/testids.md'), 'utf8').matchAll(/^\| `[\w-]+` \|([^|]*)\|/gm);
    const labels = [...rows].flatMap(([, control = '']) => [...control.matchAll(/\*\*(.+?)\*\*(?!\*)/g)]);
    assert.ok(labels.length > 100, `${labels.length} labels`);
    // Between its variable parts, which the page has in italics or leaves out.
    const parts = labels.flatMap(([, label = '']) => label.split(/\*[^*]+\*|…|\(.*?\)/).map((part) => part.trim()));
    assert.deepEqual(
      parts.filter((part) => !texts.some((text) => text.includes(part))),
      [],
    );
  });

  it('give every button and field a test id', () => {
    const bare = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/<(?:button|input|textarea|select)\b(?:[^>]|=>)*?\/?>/g)]
        .filter(([tag]) => !tag.includes('data-testid'))
        .map(([tag]) => `${file}: ${tag.slice(0, 60)}`),
    );
    assert.deepEqual(bare, []);
  });

  it('use every class and variable of the style sheets', () => {
    const styles = readdirSync(path.join(root, 'webview-ui/styles')).map(
      (file) => read(`webview-ui/styles/${file}`).text,
    );
    const css = styles.join('\n').replaceAll(/\/\*[^]*?\*\//g, '');
    const code = [...sources, read('src/vscode/ui/webviewHtml.ts')].map(({ text }) => text).join('\n');
    // Put together: colours of terminals, columns of tables, headings and icons. VS Code sets those of the theme.
    const isComposed = (name: string) => /^(?:a-|align-|md-h|codicon-|vscode-)/.test(name);
    const selectors = css.replaceAll(/\{[^{}]*\}/g, '');
    const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name));
    const variables = new Set([...css.matchAll(/(--t-[\w-]+):/g)].map(([, name = '']) => name));
    const isUsed = (name: string) => isComposed(name) || new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code);
    assert.deepEqual(
      [...classes].filter((name) => !isUsed(name)),
      [],
    );
    assert.deepEqual(
      [...variables].filter((name) => !`${css}${code}`.includes(`var(${name}`)),
      [],
    );
  });

  it('pass every text through t()', () => {
    const literals = sources
      .filter(({ file }) => file.endsWith('.tsx'))
      .flatMap(({ file, text }) =>
        [
          ...text.matchAll(/<[a-z][\w-]*(?: [^<>{}]*)?>\s*([A-Za-z][^<>{}]*?)\s*</g),
          ...text.matchAll(/(?:aria-label|placeholder|title|label|alt)="([^"]+)"/g),
        ].map(([, literal]) => `${file}: ${literal}`),
      );
    assert.deepEqual(literals, []);
  });

  it('use "sandbox" in texts of the panel and the host, and never "box"', () => {
    const words = [...sources, ...readdir('src/vscode').map(read)].flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:t|say|plural)\(\s*('(?:[^'\\]|\\.)*'(?:,\s*'(?:[^'\\]|\\.)*')?)/g)]
        .map(([, said = '']) => `${file}: ${said}`)
        .filter((said) => /: .*\bbox(?:es|ed)?\b/i.test(said)),
    );
    const named = Object.entries(JSON.parse(read('package.nls.json').text)).filter(([, text]) =>
      /\bbox(?:es|ed)?\b/i.test(String(text)),
    );
    assert.deepEqual([words, named], [[], []]);
  });

  it('set HTML in one place only, and no inline style', () => {
    const html = sources.filter(({ text }) => /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML/.test(text));
    assert.deepEqual(
      html.map(({ file }) => path.basename(file)),
      ['Markdown.tsx'],
    );
    assert.deepEqual(
      sources.filter(({ text }) => /\bstyle=/.test(text)).map(({ file }) => file),
      [],
    );
  });

  it('import from the protocol only types and modules without schemas', () => {
    const values = sources.flatMap(({ file, text }) =>
      [
        ...text.matchAll(
          /^import (?!type\b).*src\/protocol\/(?!(?:thread|draft|approval|imageLimits|itemTraits|knownProviders|ownValue|proposedPlan|review|reviewLimits|threadReducer)\.ts|text\/).*$/gm,
        ),
      ].map(([line]) => `${file}: ${line}`),
    );
    assert.deepEqual(values, []);
  });
});
