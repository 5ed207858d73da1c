import { describe, expect, test } from 'vitest';
import { type PatchRequest, decidePatch } from '../../../src/core/policy/decidePatch.ts';
import { placeOf } from '../../../src/core/policy/pathScope.ts';
import { PROTECTED_PATTERNS } from '../../../src/core/sandbox/writableRoots.ts';
import { sandboxPolicyInputSchema } from '../../../src/protocol/policy.ts';

const request = (changes: Partial<PatchRequest>): PatchRequest => ({
  discards: [],
  reads: undefined,
  paths: ['/w/src/a.ts'],
  places: new Map(),
  rootPlaces: new Map(),
  approvalPolicy: 'on-request',
  sandboxPolicy: sandboxPolicyInputSchema.parse('workspace-write'),
  writable: { roots: ['/w', '/tmp'], protectedNames: PROTECTED_PATTERNS },
  review: 'after',
  platform: 'linux',
  ...changes,
});
const decide = (changes: Partial<PatchRequest>): string => {
  const requirement = decidePatch(request(changes));
  return `${requirement.type} ${requirement.reason.id}`;
};

describe('the table of design decision 6', () => {
  const inside = ['/w/src/a.ts', '/tmp/b'];
  const outside = ['/w/src/a.ts', '/etc/passwd'];
  const guarded = ['/w/.git/config'];
  test.each([
    ['untrusted', 'after', inside, 'needs_approval untrusted'],
    ['untrusted', 'after', outside, 'needs_approval outside-writable-roots'],
    ['untrusted', 'after', guarded, 'needs_approval protected-path'],
    ['on-failure', 'before', inside, 'needs_approval review-before'],
    ['on-failure', 'after', inside, 'skip inside-writable-roots'],
    ['on-failure', 'after', outside, 'needs_approval outside-writable-roots'],
    ['on-failure', 'after', guarded, 'needs_approval protected-path'],
    ['on-request', 'before', inside, 'needs_approval review-before'],
    ['on-request', 'after', inside, 'skip inside-writable-roots'],
    ['on-request', 'after', outside, 'needs_approval outside-writable-roots'],
    ['on-request', 'after', guarded, 'needs_approval protected-path'],
    ['never', 'before', inside, 'skip inside-writable-roots'],
    ['never', 'after', inside, 'skip inside-writable-roots'],
    ['never', 'after', outside, 'forbidden outside-writable-roots'],
    ['never', 'after', guarded, 'forbidden protected-path'],
  ] as const)('%s, review %s, %j: %s', (approvalPolicy, review, paths, expected) => {
    expect(decide({ approvalPolicy, review, paths })).toBe(expected);
  });

  test('read-only allows no write', () => {
    const sandboxPolicy = sandboxPolicyInputSchema.parse('read-only');
    expect(decide({ sandboxPolicy })).toBe('needs_approval read-only');
    expect(decide({ sandboxPolicy, approvalPolicy: 'never' })).toBe('forbidden read-only');
  });

  test('full access has no outside', () => {
    const sandboxPolicy = sandboxPolicyInputSchema.parse('danger-full-access');
    expect(decide({ sandboxPolicy, paths: ['/etc/x'] })).toBe('skip inside-writable-roots');
    expect(decide({ sandboxPolicy, paths: ['/etc/x'], review: 'before' })).toBe('needs_approval review-before');
  });

  test('an empty patch is refused', () => {
    expect(decide({ paths: [] })).toBe('forbidden empty-patch');
  });

  test('a refusal names the path and the policy', () => {
    const requirement = decidePatch(request({ paths: ['/etc/passwd'], approvalPolicy: 'never' }));
    expect(requirement.reason.text).toBe(
      '/etc/passwd lies outside the writable folders, and the approval policy never asks.',
    );
  });
});

describe('the resolved place of a path', () => {
  const at = (name: string, target = name) => ({ name, target });
  const rootPlaces = new Map([
    ['/w', '/disk/w'],
    ['/tmp', '/tmp'],
  ]);
  const decideOn = (path: string, place: { name: string; target: string }, changes: Partial<PatchRequest> = {}) => {
    const { type, reason } = decidePatch(
      request({ paths: [path], places: new Map([[path, place]]), rootPlaces, ...changes }),
    );
    return `${type} ${reason.id}: ${reason.text}`;
  };

  test.each([
    ['/w/a', at('/disk/w/a'), 'skip inside-writable-roots: All its files lie in writable folders.'],
    ['/w/n/../a', at('/disk/w/a'), 'skip inside-writable-roots: All its files lie in writable folders.'],
    ['/disk/w/a', at('/disk/w/a'), 'skip inside-writable-roots: All its files lie in writable folders.'],
    [
      '/w/d/a',
      at('/home/u/a'),
      'needs_approval outside-writable-roots: /w/d/a leads to /home/u/a, which lies outside the writable folders.',
    ],
    [
      '/w/link',
      at('/disk/w/link', '/home/u/a'),
      'needs_approval outside-writable-roots: /w/link leads to /home/u/a, which lies outside the writable folders.',
    ],
    [
      '/w/d/hook',
      at('/disk/w/.git/hooks/hook'),
      'needs_approval protected-path: /w/d/hook leads to /disk/w/.git/hooks/hook, which is protected.',
    ],
    ['/w/d/a', at('/disk/w/e/a'), 'needs_approval protected-path: /w/d/a leads by a link to /disk/w/e/a.'],
    ['/w/d/a', at('/tmp/a'), 'needs_approval protected-path: /w/d/a leads by a link to /tmp/a.'],
    ['/w/.git/a', at('/disk/w/git/a'), 'needs_approval protected-path: /w/.git/a is protected.'],
    ['/etc/a', at('/disk/w/a'), 'needs_approval outside-writable-roots: /etc/a lies outside the writable folders.'],
  ])('%s that leads to %j: %s', (path, place, expected) => {
    expect(decideOn(path, place)).toBe(expected);
  });

  test('does not matter under full access, and refuses where no user can be asked', () => {
    const sandboxPolicy = sandboxPolicyInputSchema.parse('danger-full-access');
    expect(decideOn('/w/d/a', at('/home/u/a'), { sandboxPolicy })).toContain('skip inside-writable-roots');
    expect(decideOn('/w/d/a', at('/home/u/a'), { approvalPolicy: 'never' })).toBe(
      'forbidden outside-writable-roots: /w/d/a leads to /home/u/a, which lies outside the writable folders, and the approval policy never asks.',
    );
  });

  test('a root that a command could redirect makes nothing writable there', () => {
    const roots = new Map([['/w', '/w']]);
    const writable = { roots: ['/w', '/w/out'], protectedNames: PROTECTED_PATTERNS };
    expect(decideOn('/w/out/a', at('/home/u/a'), { writable, rootPlaces: roots })).toContain('outside-writable-roots');
  });

  test('spellings of one name are one place', () => {
    expect(decideOn('/w/A', at('/disk/W/a'), { platform: 'darwin' })).toContain('skip');
    const writable = { roots: ['C:\\w'], protectedNames: PROTECTED_PATTERNS };
    const windows = { platform: 'win32' as const, writable, rootPlaces: new Map([['C:\\w', 'D:\\real']]) };
    expect(decideOn('c:\\W\\n\\a', at('D:\\Real\\N\\A'), windows)).toContain('skip');
    expect(decideOn('c:\\W\\n\\a', at('D:\\other\\a'), windows)).toContain('outside-writable-roots');
  });
});

describe('where a path lies', () => {
  const scope = {
    roots: ['/w', '/w2/.vscode/chosen', '/x/.github'],
    protectedNames: PROTECTED_PATTERNS,
    protectedPaths: ['/w/gitdir'],
  };
  test.each([
    ['/w/a', 'inside'],
    ['/w/../w/./a', 'inside'],
    ['/w/../etc/passwd', 'outside'],
    ['/wide/a', 'outside'],
    ['/w/.git', 'protected'],
    ['/w/a/../.git/hooks/pre-commit', 'protected'],
    ['/w/packages/b/.vscode/settings.json', 'protected'],
    ['/w/.gitignore', 'inside'],
    ['/w/.GIT/config', 'inside'],
    ['/w/.envrc', 'protected'],
    ['/w/a/.husky/pre-commit', 'protected'],
    ['/w/.mcp.json', 'protected'],
    ['/w/.cursor/rules', 'protected'],
    ['/w/.devcontainer.json', 'protected'],
    ['/w/a/any.code-workspace', 'protected'],
    ['/w/any.code-workspaces', 'inside'],
    ['/w/.github/workflows/ci.yml', 'protected'],
    ['/w/.github/hooks/check.json', 'protected'],
    ['/w/a/.github/workflows', 'protected'],
    ['/w/.github/CODEOWNERS', 'inside'],
    ['/w/workflows/ci.yml', 'inside'],
    ['/w/.github/a/workflows/ci.yml', 'inside'],
    ['/x/.github/workflows/ci.yml', 'protected'],
    ['/w/gitdir/config', 'protected'],
    ['/w2/.vscode/chosen/a', 'inside'],
    ['/w2/.vscode/other', 'outside'],
  ] as const)('linux: %s is %s', (path, expected) => {
    expect(placeOf(path, scope, 'linux')).toBe(expected);
  });

  test.each([
    ['/W/A', 'inside'],
    ['/w/.GIT/config', 'protected'],
    ['/w/.GitHub/Workflows/ci.yml', 'protected'],
    ['/w/A.Code-Workspace', 'protected'],
    ['/w/.g\u200cit/config', 'protected'],
    ['/w/.v\u017fcode/settings.json', 'protected'],
  ] as const)('macOS: %s is %s', (path, expected) => {
    expect(placeOf(path, scope, 'darwin')).toBe(expected);
  });

  test.each([
    ['c:\\W\\a', 'inside'],
    ['C:\\w\\.Git\\config', 'protected'],
    ['C:\\w\\.git.\\config', 'protected'],
    ['C:\\w\\.git::$INDEX_ALLOCATION\\config', 'protected'],
    ['C:\\w\\GIT~1\\config', 'protected'],
    ['C:\\w\\VSCODE~1\\settings.json', 'protected'],
    ['C:\\w\\GITHUB~1\\WORKFL~1\\a.yml', 'protected'],
    ['C:\\w\\DEVCON~1.JSO', 'protected'],
    ['C:\\w\\MYWORK~1.COD', 'protected'],
    ['C:\\w\\PROGRA~1\\a', 'inside'],
    ['C:/w/.git/config', 'protected'],
    ['C:\\w\\.GitHub.\\workflows\\ci.yml', 'protected'],
    ['C:\\w\\a.code-workspace::$DATA', 'protected'],
    ['D:\\w\\a', 'outside'],
  ] as const)('Windows: %s is %s', (path, expected) => {
    expect(placeOf(path, { roots: ['C:\\w'], protectedNames: PROTECTED_PATTERNS }, 'win32')).toBe(expected);
  });
});
