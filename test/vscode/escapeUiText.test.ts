import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import { withoutIcons, withoutLinks } from '../../src/vscode/ui/escapeUiText.ts';

suite('text of a model in controls of VS Code', () => {
  test('is shown literally: no icon in a list, no link in a notification', () => {
    assert.equal(withoutIcons('echo $(date) $(trash~spin)'), 'echo \\$(date) \\$(trash~spin)');
    assert.doesNotMatch(withoutLinks('see [Show](command:tiller.approve)'), /\]\(/);
  });

  test('is marked where it is cut', () => {
    assert.equal(inOneLine('npm test\n', 20), 'npm test');
    assert.equal(inOneLine('cat <<E > a\nx\nE', 20), 'cat <<E > a…');
    assert.equal(inOneLine('x'.repeat(30), 10), `${'x'.repeat(9)}…`);
  });

  test('shows invisible characters by their numbers', () => {
    assert.equal(inOneLine('rm \u202ex\u001b[2J', 40), 'rm \\u{202e}x\\u{1b}[2J');
  });
});
