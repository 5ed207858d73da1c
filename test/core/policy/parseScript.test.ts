import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parseScript } from '../../../src/core/policy/parseScript.ts';
import { hasBash, startRealShell } from './realShell.ts';
import { HERE_DOCUMENTS, READABLE, TRAPS, UNREADABLE } from './trickyScripts.ts';
import { rounds } from '../../support/rounds.ts';

/** The commands in the form of `RealShell.run`; `undefined` for a script that was not accepted. */
function accepted(script: string): string[] | undefined {
  const parsed = parseScript(script);
  if (parsed.type === 'opaque') return undefined;
  return [...new Set(parsed.commands.map((argv) => JSON.stringify(argv)))].toSorted();
}

describe.skipIf(!hasBash)('compared with a real bash', () => {
  const shell = startRealShell();
  afterAll(shell.dispose);

  test.each(READABLE)('runs the parsed commands: %j', (script) => {
    expect(accepted(script)).toEqual(shell.run(script));
  });

  test.each(HERE_DOCUMENTS)('runs the one command before the here-document: %j', (script) => {
    expect(parseScript(script)).toMatchObject({ type: 'commands', complex: true });
    expect(accepted(script)).toEqual(shell.run(script));
  });

  test('of all tricky scripts none is accepted with other commands', () => {
    const all = [...READABLE, ...HERE_DOCUMENTS, ...TRAPS, ...UNREADABLE];
    const wrong = all.filter((script) => {
      const commands = accepted(script);
      return commands !== undefined && JSON.stringify(commands) !== JSON.stringify(shell.run(script));
    });
    expect(wrong).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(90);
  });

  test('no random script of shell fragments is accepted and runs otherwise', () => {
    const piece = fc.constantFrom(
      ...[
        'aa',
        'bb',
        'c c',
        ' ',
        ' ',
        ' ',
        '\n',
        '\t',
        '\\',
        "'",
        '"',
        '$',
        '`',
        '(',
        ')',
        '{',
        '}',
        '[',
        ']',
        '*',
        '?',
      ],
      ...[
        '~',
        '#',
        '!',
        '=',
        '&',
        '&&',
        '||',
        '|',
        ';',
        '-x',
        '--',
        'é',
        '%',
        '^',
        '@',
        '+',
        ',',
        'a:',
        'a.',
        '<<X',
        '\nX\n',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const script = pieces.join('');
        const commands = accepted(script);
        if (commands !== undefined) expect(commands).toEqual(shell.run(script));
      }),
      { numRuns: rounds(500, 40_000) },
    );
  });
});

describe('a script that cannot be parsed', () => {
  test.each(UNREADABLE)('is not accepted: %j', (script) => {
    expect(parseScript(script).type).toBe('opaque');
  });

  test('gives the reason', () => {
    expect(parseScript('one > out')).toEqual({
      type: 'opaque',
      why: 'it redirects input or output',
      mentions: [['one']],
      isOneOff: false,
      feeds: false,
      texts: [],
    });
  });

  test('reports the possible inputs of its commands', () => {
    expect(parseScript('echo one two | cat')).toMatchObject({ type: 'commands', feeds: true, texts: ['one two'] });
    expect(parseScript('cat < in; cat <<X\n$one\nX\ncat <<< two; echo "$three"')).toMatchObject({
      type: 'opaque',
      feeds: true,
      texts: ['$one\n', 'two', '$three'],
    });
    expect(parseScript('echo one; cat a')).toMatchObject({ feeds: false, texts: ['one'] });
  });

  test('still names every command in it', () => {
    const script = 'for f in *; do rm -rf "$f" | two $(three x); done; { four; } > out';
    expect(parseScript(script)).toMatchObject({
      mentions: [['rm', '-rf', '$f'], ['two', '$(three x)'], ['three', 'x'], ['four']],
    });
  });
});
