import { expect, test } from 'vitest';
import type { PatchOperation } from '../../../src/core/patch/operation.ts';
import { inOpenFolders } from '../../../src/core/tools/handlers/openFolders.ts';

const there = new Set(['/work/app/server']);
const workspace = {
  roots: ['/work/app', '/work/lib', '/work/server', '/old/twin', '/new/twin'],
  stat: async (path: string) =>
    there.has(path) ? { type: 'directory' as const, symbolicLink: false, size: 0, modifiedAt: 0 } : undefined,
};

test.each([
  ['a path from the working directory', 'src/a.ts', 'src/a.ts'],
  ['an absolute path', '/work/lib/a.ts', '/work/lib/a.ts'],
  ['a folder by its name', 'lib/src/a.ts', '/work/lib/src/a.ts'],
  ['what stands in the working directory under that name', 'server/a.ts', 'server/a.ts'],
  ['a name that two folders have', 'twin/a.ts', 'twin/a.ts'],
  ['the name of the working directory itself', 'app/a.ts', 'app/a.ts'],
  ['a name alone, which is a new file', 'lib', 'lib'],
  ['an address', 'file:///work/lib/a%20b.ts', '/work/lib/a b.ts'],
  ['an address of another machine', 'file://elsewhere/a.ts', 'file://elsewhere/a.ts'],
])('%s', async (_what, written, expected) => {
  const operations: PatchOperation[] = [
    { type: 'delete', path: written },
    { type: 'update', path: 'a.ts', movedTo: written, chunks: [] },
  ];
  expect(await inOpenFolders(operations, '/work/app', workspace)).toEqual([
    { type: 'delete', path: expected },
    { type: 'update', path: 'a.ts', movedTo: expected, chunks: [] },
  ]);
});
