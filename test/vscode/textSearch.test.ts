import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { findRipgrep } from '../../src/node/host/textSearch.ts';

suite('searches in files', () => {
  test('use the ripgrep of this VS Code', () => {
    assert.notEqual(findRipgrep({ appRoot: vscode.env.appRoot }, []), undefined);
  });
});
