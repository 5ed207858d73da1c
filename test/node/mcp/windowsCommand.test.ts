import { describe, expect, test } from 'vitest';
import { windowsCommand } from '../../../src/node/mcp/windowsCommand.ts';

const FILES = new Set([
  String.raw`C:\node\npx.CMD`,
  String.raw`C:\node\node.EXE`,
  String.raw`C:\bin\uvx.EXE`,
  String.raw`C:\work\tools\serve.bat`,
  String.raw`C:\work\node_modules\.bin\mcp.CMD`,
]);
const place = {
  cwd: String.raw`C:\work`,
  env: { Path: String.raw`C:\node;C:\bin`, ComSpec: String.raw`C:\Windows\System32\cmd.exe` },
};
const started = (...argv: [string, ...string[]]) => windowsCommand(argv, place, (file) => FILES.has(file));
const CMD = [String.raw`C:\Windows\System32\cmd.exe`, '/d', '/s', '/c'];

describe('the command line of a server on Windows', () => {
  test('leaves programs, and what is not found, as they are', () => {
    for (const program of ['node', 'uvx', 'nothing', String.raw`C:\bin\uvx.EXE`]) {
      expect(started(program, 'a b')).toEqual({ argv: [program, 'a b'] });
    }
  });

  test('runs scripts by cmd.exe, with their arguments in quotes', () => {
    expect(started('npx', '-y', '@scope/server', String.raw`C:\my notes\ `.trim())).toEqual({
      argv: [...CMD, String.raw`"npx ^"-y^" ^"@scope/server^" ^"C:\my^ notes\\^""`],
      verbatimArguments: true,
    });
    expect(started('tools/serve.bat').argv.at(-1)).toBe(String.raw`"tools\serve.bat"`);
  });

  test('gives nothing in an argument a meaning', () => {
    const [line] = started('npx', 'a & del b', '%PATH%', String.raw`say \"hi"`).argv.slice(-1);
    expect(line).toBe(String.raw`"npx ^"a^ ^&^ del^ b^" ^"^%PATH^%^" ^"say^ \\\^"hi\^"^""`);
  });

  test('escapes twice for scripts of npm, which read their arguments again', () => {
    expect(started('node_modules/.bin/mcp', 'a&b').argv.at(-1)).toBe(
      String.raw`"node_modules\.bin\mcp ^^^"a^^^&b^^^""`,
    );
  });

  test('uses cmd.exe of the path and the usual endings where the environment names none', () => {
    const { argv } = windowsCommand(['npx'], { ...place, env: { PATH: String.raw`C:\node` } }, (file) =>
      FILES.has(file),
    );
    expect(argv).toEqual(['cmd.exe', '/d', '/s', '/c', '"npx"']);
  });
});
