import { describe, expect, test } from 'vitest';
import { matchingPattern } from '../../../src/core/policy/readPatterns.ts';
import { SECRET_FILES } from '../../../src/protocol/privatePlaces.ts';
import { settingsSchema } from '../../../src/protocol/settings.ts';

describe('the globs of sandbox.unreadable', () => {
  test('name files with secrets in any folder, and not their examples', () => {
    const patternOf = matchingPattern(SECRET_FILES, 'linux');
    const paths = ['/w/.env', '/w/a/.env.local', '/w/.env.example', '/w/tls/key.pem', '/w/env', '/w/.ENV'];
    expect(paths.map(patternOf)).toEqual(['**/.env', '**/.env.*', undefined, '**/*.pem', undefined, undefined]);
  });

  test('the last one that matches decides', () => {
    expect(matchingPattern(['!**/a', '**/a'], 'linux')('/a')).toBe('**/a');
    expect(matchingPattern(['**/a', '!**/a'], 'linux')('/a')).toBeUndefined();
  });

  test('take names in another case for the same file where file systems do', () => {
    expect(matchingPattern(SECRET_FILES, 'darwin')('/w/.ENV')).toBe('**/.env');
    expect(matchingPattern(SECRET_FILES, 'win32')('C:\\w\\.Env')).toBe('**/.env');
  });

  test('are no paths: an absolute path with a bracket in it is one', () => {
    expect(matchingPattern(['/w/[a]'], 'linux')('/w/a')).toBeUndefined();
  });

  test('are settings, and a relative path is none', () => {
    const accepts = (entry: string) => settingsSchema.safeParse({ 'sandbox.unreadable': [entry] }).success;
    expect(['**/.env', '!**/.env', '~/x', '/x', 'x', '*.pem', '!~/x'].map(accepts)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
