import path from 'node:path';
import { expect, it } from 'vitest';
import { productFolder } from '../../../src/core/util/productFolder.ts';

const homeDirectory = path.resolve('/home/user');

it.each([
  [undefined, path.join(homeDirectory, '.claude')],
  ['', path.join(homeDirectory, '.claude')],
  ['.', path.join(homeDirectory, '.claude')],
  ['own/claude', path.join(homeDirectory, '.claude')],
  ['~/claude', path.join(homeDirectory, '.claude')],
  [path.resolve('/own/claude'), path.resolve('/own/claude')],
])('the folder of a product is its variable only where that is an absolute path: %s', (value, expected) => {
  expect(productFolder('claude', { homeDirectory, environment: { CLAUDE_CONFIG_DIR: value } })).toBe(expected);
  expect(productFolder('codex', { homeDirectory, environment: { CODEX_HOME: value } })).toBe(
    expected.replace('.claude', '.codex'),
  );
});
