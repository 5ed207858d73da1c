import { describe, expect, test } from 'vitest';
import { matchingPattern } from '../../../src/core/policy/readPatterns.ts';
import { settingsSchema } from '../../../src/protocol/settings.ts';

describe('the globs of sandbox.unreadable', () => {
  test('name files with secrets in any folder, and not their examples', () => {
    const patternOf = matchingPattern([], 'linux');
    const paths = ['/w/.env', '/w/a/.env.local', '/w/.env.example', '/w/tls/key.pem', '/w/env', '/w/.ENV'];
    expect(paths.map(patternOf)).toEqual(['**/.env', '**/.env.*', undefined, '**/*.pem', undefined, '**/.env']);
  });

  test('of the setting add to Tiller’s own, and may make files readable again', () => {
    const patternOf = matchingPattern(['~/.ssh', '!**/.env.test', '**/secrets/**'], 'linux');
    const paths = ['/w/.env', '/w/.env.test', '/w/secrets/a', '/w/a'];
    expect(paths.map(patternOf)).toEqual(['**/.env', undefined, '**/secrets/**', undefined]);
    expect(matchingPattern(['!**/*'], 'linux')('/w/.env')).toBeUndefined();
  });

  test('the last one that matches decides', () => {
    expect(matchingPattern(['!**/a', '**/a'], 'linux')('/a')).toBe('**/a');
    expect(matchingPattern(['**/a', '!**/a'], 'linux')('/a')).toBeUndefined();
  });

  test('take names in another case for the same file, but on Linux nothing more is readable by that', () => {
    expect(matchingPattern([], 'darwin')('/w/.ENV')).toBe('**/.env');
    expect(matchingPattern([], 'win32')('C:\\w\\.Env')).toBe('**/.env');
    expect(matchingPattern([], 'darwin')('/w/.ENV.example')).toBeUndefined();
    expect(matchingPattern([], 'linux')('/w/.ENV.example')).toBe('**/.env.*');
  });

  test.each(['.env::$DATA', '.env:$DATA', '.ENV.', '.env . ', 'key.pem:x', '.env.local::$DATA'])(
    'name a file on Windows by each name that opens it: %s',
    (name) => {
      expect(matchingPattern([], 'win32')(`C:\\w\\${name}`)).toBeDefined();
      expect(matchingPattern([], 'win32')(`C:\\w\\a${name.slice(1)}`.replace('.pem', '.txt'))).toBeUndefined();
    },
  );

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
