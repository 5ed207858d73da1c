import { expect, it } from 'vitest';
import { reviewRequest } from '../../../src/core/prompt/codeReview.ts';

it.each([
  ['main', 'main'],
  ['origin/fix-1.2', 'origin/fix-1.2'],
  ['x;$(touch${IFS}made)', "'x;$(touch${IFS}made)'"],
  ["it's`id`", "'it'\\''s`id`'"],
])('a reviewer gets the branch %s as one word of its command', (branch, word) => {
  const request = reviewRequest({ target: { type: 'branch', branch } }, false);
  expect(request).toContain(`\`git diff $(git merge-base HEAD ${word})\``);
});
