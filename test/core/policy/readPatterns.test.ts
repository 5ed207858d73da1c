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

  test.each([
    'ENV~1',
    'env~3',
    'EN3F0A~1',
    'ENV~2.LOC',
    'secret~1.her/a.txt',
    'secrets.here . /a',
    'secrets.here::$INDEX_ALLOCATION/a',
  ])('name a file on Windows by its short name, and by other names of its folders: %s', (name) => {
    const patternOf = matchingPattern(['**/secrets.here/**'], 'win32');
    expect(patternOf(`C:\\w\\${name.replaceAll('/', '\\')}`)).toBeDefined();
    expect(matchingPattern(['**/secrets.here/**'], 'linux')(`/w/${name}`)).toBeUndefined();
  });

  test('do not take other short names on Windows for those of files with secrets', () => {
    const patternOf = matchingPattern(['**/id', '**/*.key', '**/long[ab]name.txt'], 'win32');
    for (const name of ['ENVIRO~1', 'PROGRA~1', 'ENV~', 'ID~1', 'README~1.MD', 'env~1x', 'A~1.TXT']) {
      expect(patternOf(`C:\\w\\${name}`)).toBeUndefined();
    }
    expect(patternOf('C:\\w\\LONGCE~1.KEY')).toBe('**/*.key');
  });

  test('take a name with characters that macOS ignores or folds for the same file', () => {
    const patternOf = matchingPattern(['**/keys'], 'darwin');
    expect(['/w/.e\u200Dnv', '/w/KEY\u017F', '/w/.env\u00E9'].map(patternOf)).toEqual([
      '**/.env',
      '**/keys',
      undefined,
    ]);
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
