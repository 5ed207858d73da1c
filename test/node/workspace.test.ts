import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { WorkspaceError } from '../../src/core/ports.ts';
import { createDiskWorkspace } from '../../src/node/workspace.ts';
import { tempFolder } from '../support/tempFolder.ts';

const workspaceIn = (path: string) => createDiskWorkspace({ roots: [path], home: `${path}/.home` });

describe('reading', () => {
  test('a text comes without its byte order mark and with its own line endings', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('a.txt'), '\uFEFFä\r\nb\n');
    symlinkSync('a.txt', folder.at('link'));
    const expected = { text: 'ä\r\nb\n', source: 'disk', dirty: false };
    assert.deepEqual(await workspaceIn(folder.path).read(folder.at('a.txt')), expected);
    assert.deepEqual(await workspaceIn(folder.path).read(folder.at('link')), expected);
  });

  test('what is no text says so', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    writeFileSync(folder.at('nul'), 'a\0b');
    writeFileSync(folder.at('latin1'), Buffer.from([0x61, 0xe4]));
    writeFileSync(folder.at('utf16'), Buffer.from('\uFEFFab', 'utf16le'));
    writeFileSync(folder.at('large'), 'x');
    truncateSync(folder.at('large'), 50 * 1024 * 1024 + 1);
    mkdirSync(folder.at('folder'));
    execFileSync('mkfifo', [folder.at('pipe')]);
    const codeOf = async (name: string) => {
      const error: unknown = await workspace.read(folder.at(name)).catch((reason: unknown) => reason);
      return error instanceof WorkspaceError ? error.code : error;
    };
    const names = ['nul', 'latin1', 'utf16', 'large', 'folder', 'missing', 'nul/below', 'pipe'];
    assert.deepEqual(await Promise.all(names.map(codeOf)), [
      'not_text',
      'not_text',
      'not_text',
      'too_large',
      'is_directory',
      'not_found',
      'not_found',
      'io',
    ]);
  });

  test('bytes come as they are, up to a limit', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    writeFileSync(folder.at('bytes'), Buffer.from([0, 255]));
    assert.deepEqual(await workspace.readBytes(folder.at('bytes')), Buffer.from([0, 255]));
    await assert.rejects(workspace.readBytes(folder.at('bytes'), { maxBytes: 1 }), { code: 'too_large' });
    const signal = AbortSignal.abort(new Error('stop'));
    await assert.rejects(workspace.readBytes(folder.at('bytes'), { signal }), { message: 'stop' });
  });

  test('folders are listed by name, links are followed and told', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    mkdirSync(folder.at('b'));
    writeFileSync(folder.at('c'), 'xyz');
    symlinkSync('c', folder.at('a'));
    symlinkSync('nowhere', folder.at('d'));
    assert.deepEqual(await workspace.list(folder.path), [
      { name: 'a', type: 'symbolic_link' },
      { name: 'b', type: 'directory' },
      { name: 'c', type: 'file' },
      { name: 'd', type: 'symbolic_link' },
    ]);
    const stats = await Promise.all(['a', 'b', 'd', 'e', 'c/x'].map((name) => workspace.stat(folder.at(name))));
    assert.deepEqual(
      stats.map((stat) => stat && [stat.type, stat.symbolicLink]),
      [['file', true], ['directory', false], ['other', true], undefined, undefined],
    );
    assert.equal(await workspace.realPath(folder.at('a')), realpathSync(folder.at('c')));
    await assert.rejects(workspace.realPath(folder.at('d')), { code: 'not_found' });
    await assert.rejects(workspace.list(folder.at('c')), { code: 'not_found' });
  });
});
