import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { oneLine, withoutIcons, withoutLinks } from '../../src/vscode/plainText.ts';

suite('words of a model in controls of VS Code', () => {
  test('stay words: no picture in a list, nothing to click in a notification', () => {
    assert.equal(withoutIcons('echo $(date) $(trash~spin)'), 'echo \\$(date) \\$(trash~spin)');
    assert.doesNotMatch(withoutLinks('see [Show](command:tiller.approve)'), /\]\(/);
  });

  test('say when they are cut', () => {
    assert.equal(oneLine('npm test\n', 20), 'npm test');
    assert.equal(oneLine('cat <<E > a\nx\nE', 20), 'cat <<E > a…');
    assert.equal(oneLine('x'.repeat(30), 10), `${'x'.repeat(9)}…`);
  });
});
