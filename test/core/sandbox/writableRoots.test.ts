import { expect, test } from 'vitest';
import { isProtectedEntry, PROTECTED_NAMES, writableRoots } from '../../../src/core/sandbox/writableRoots.ts';
import { type SandboxPolicy, sandboxPolicyInputSchema, sandboxPolicySchema } from '../../../src/protocol/policy.ts';

const paths = (policy: SandboxPolicy, platform: 'linux' | 'win32' = 'linux', cwd = '/w'): unknown => {
  const roots = writableRoots(policy, { cwd, platform });
  return roots.type === 'everything' ? 'everything' : roots.roots.map(({ path }) => path);
};
const workspaceWrite = (changes: object): SandboxPolicy =>
  sandboxPolicySchema.parse({ type: 'workspace-write', ...changes });

test('workspace-write: the working directory and listed folders, each once, and no other folder of the machine', () => {
  expect(paths(workspaceWrite({}))).toEqual(['/w']);
  expect(paths(workspaceWrite({ writableRoots: ['/x/', '/w/../x', 'relative', '/tmp'] }))).toEqual([
    '/w',
    '/x',
    '/tmp',
  ]);
  expect(paths(workspaceWrite({}), 'win32', 'C:\\w')).toEqual(['C:\\w']);
});

test('read-only has no writable folder, full access no limit', () => {
  expect(paths(sandboxPolicyInputSchema.parse('read-only'))).toEqual([]);
  expect(paths(sandboxPolicyInputSchema.parse('danger-full-access'))).toBe('everything');
  expect(paths(sandboxPolicyInputSchema.parse('external-sandbox'))).toBe('everything');
});

test('files that control other programs stay protected in every writable folder', () => {
  const roots = writableRoots(workspaceWrite({}), { cwd: '/w', platform: 'linux' });
  expect(roots).toEqual({
    type: 'roots',
    roots: [
      {
        path: '/w',
        protectedPaths: [...PROTECTED_NAMES, '.github/workflows', '.github/hooks'].map((name) => `/w/${name}`),
      },
    ],
  });
});

test.each([
  ['.git', 'a', true],
  ['.mcp.json', 'a', true],
  ['any.code-workspace', 'a', true],
  ['workflows', '.github', true],
  ['workflows', 'github', false],
  ['.github', 'a', false],
  ['.gitignore', 'a', false],
  ['code-workspace', 'a', false],
])('%s in a folder %s is protected: %s', (name, folder, expected) => {
  expect(isProtectedEntry(name, folder)).toBe(expected);
});
