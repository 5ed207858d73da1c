import { expect, test } from 'vitest';
import { madeFolders } from '../../../src/core/tools/madeFolders.ts';

test('a sandboxed command has made no folder with a protected name, which is a mount point of its sandbox', () => {
  const found = ['/w/.vscode', '/w/new', '/w/new/.git', '/w/.vscode-test'];
  expect(madeFolders(found, 'bubblewrap')).toEqual(['/w/new', '/w/.vscode-test']);
  expect(madeFolders(found, 'none')).toEqual(found);
});
