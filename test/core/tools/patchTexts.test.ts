import { expect, test } from 'vitest';
import { failureText } from '../../../src/core/tools/handlers/patchTexts.ts';

test('the model reads why a patch failed, and which files a rollback could not restore', () => {
  expect(failureText('The disk is full.', [])).toBe(
    'The patch could not be applied: The disk is full. Nothing was changed.',
  );
  expect(failureText('The disk is full', ['/w/a', '/w/b'])).toBe(
    'The patch could not be applied: The disk is full. These could not be restored: /w/a, /w/b.',
  );
});
