// read_file, list_dir and grep_files: lines and errors of codex-behaviour.md §4.3–4.5, live buffers, what may not be read.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Ports, Workspace } from '../../src/core/ports.ts';
import { auditEntrySchema, auditRows } from '../../src/protocol/audit.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

type Call = ReturnType<typeof calls>;
type Options = Omit<ScenarioOptions, 'model'>;

const read = (args: object) => calls('read_file', args);
const list = (args: object) => calls('list_dir', args);
const grep = (args: object) => calls('grep_files', args);

/** Runs the calls in one response; returns the thread, which the caller disposes. */
async function chatWith(made: readonly Call[], options: Options = {}, prepare?: (chat: Scenario) => void) {
  const chat = await startScenario({ ...options, model: [[...made], [says('Done.')]] });
  prepare?.(chat);
  await chat.send('go');
  return chat;
}

async function outputsOf(made: readonly Call[], options: Options = {}, prepare?: (chat: Scenario) => void) {
  await using chat = await chatWith(made, options, prepare);
  return chat
    .outputs()
    .map((output) => output.replaceAll(`${chat.folder.path}/`, '').replaceAll(chat.folder.path, '.'));
}

describe('read_file', () => {
  it('returns numbered lines, without line ends, cut at 500 bytes, and says where to go on', async () => {
    const text = `one\r\n\ttwo\n${'é'.repeat(300)}\nfour`;
    expect(
      await outputsOf([read({ file_path: 'a.txt', limit: 3 }), read({ file_path: 'a.txt', offset: 4 })], {
        files: { 'a.txt': text },
      }),
    ).toEqual([`L1: one\nL2: \ttwo\nL3: ${'é'.repeat(250)}\nThe file has 4 lines; the next one is 4.`, 'L4: four']);
  });

  it('keeps an output within 10,000 tokens', async () => {
    const [output = ''] = await outputsOf([read({ file_path: 'a.txt' })], {
      files: { 'a.txt': `${'x'.repeat(400)}\n`.repeat(1_000) },
    });
    expect(output.length).toBeLessThan(40_200);
    expect(output).toMatch(/\nThe file has 1000 lines; the next one is 99\.$/);
  });

  it('finds absolute paths, URIs and files of another open folder', async () => {
    const other = tempFolder();
    writeFileSync(other.at('b.txt'), 'bee\n');
    const deps = ({ workspace }: Ports) => ({ workspace: { ...workspace, roots: [...workspace.roots, other.path] } });
    const named = `${path.basename(other.path)}/b.txt`;
    await using chat = await startScenario({
      deps,
      model: (_request, index) =>
        index === 0
          ? [
              read({ file_path: other.at('b.txt') }),
              read({ file_path: String(pathToFileURL(other.at('b.txt'))) }),
              read({ file_path: 'b.txt' }),
              read({ file_path: named }),
            ]
          : [says('Done.')],
    });
    await chat.send('go');
    expect(chat.outputs()).toEqual(['L1: bee', 'L1: bee', 'L1: bee', 'L1: bee']);
  });

  it('names what is wrong, so that the model can correct it', async () => {
    const files = { 'a.txt': 'one\n', 'empty.txt': '', 'sub/b.txt': '' };
    const made = [
      read({ file_path: 'none.txt' }),
      read({ file_path: 'sub' }),
      read({ file_path: 'a.txt', offset: 2 }),
      read({ file_path: 'a.txt', offset: 0 }),
      read({ file_path: 'a.txt', limit: 0 }),
      read({ file_path: 'empty.txt' }),
      read({}),
      read({ path: 'a.txt' }),
      read({ file_path: 'https://example.com/a' }),
      calls('list_dir', { dir_path: 'a.txt' }),
    ];
    expect(await outputsOf(made, { files })).toEqual([
      'none.txt does not exist.',
      'sub is a directory.',
      'Line 2 is beyond the end of the file, which has 1 lines.',
      'Failed to parse the arguments: offset: Too small: expected number to be >=1. Nothing was run.',
      'Failed to parse the arguments: limit: Too small: expected number to be >=1. Nothing was run.',
      'The file is empty.',
      'Failed to parse the arguments: file_path: is required. Nothing was run.',
      'Failed to parse the arguments: file_path: is required; path: is no argument of this tool. Nothing was run.',
      'https://example.com/a is an address of the web, not a file.',
      'a.txt is a file, not a directory.',
    ]);
  });

  it('returns the block around a line, with its comment', async () => {
    const text =
      'import a\n\n// Adds.\nfunction add() {\n    if (x) {\n        y();\n    }\n}\n\nfunction sub() {\n    z();\n}\n';
    const block = (indentation: object) => read({ file_path: 'a.ts', mode: 'indentation', indentation });
    const outputs = await outputsOf(
      [
        block({ anchor_line: 6, max_levels: 1 }),
        block({ anchor_line: 6, max_levels: 2 }),
        block({ anchor_line: 6, max_lines: 1 }),
        block({ anchor_line: 99 }),
      ],
      { files: { 'a.ts': text } },
    );
    const lines = (from: number, to: number) =>
      text
        .split('\n')
        .slice(from - 1, to)
        .map((line, index) => `L${from + index}: ${line}`)
        .join('\n');
    expect(outputs).toEqual([
      lines(5, 7),
      lines(3, 8),
      lines(6, 6),
      'Line 99 is beyond the end of the file, which has 12 lines.',
    ]);
  });
});

describe('list_dir', () => {
  const files = { 'a.txt': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'node_modules/x/index.js': '', '.git/config': '' };

  it('lists folders to a depth, marks what is no file, and opens neither packages nor git', async () => {
    const [output] = await outputsOf([list({ dir_path: '.' })], { files }, (chat) =>
      symlinkSync('a.txt', chat.folder.at('link')),
    );
    expect(output).toBe('Absolute path: .\n.git/\na.txt\nlink@\nnode_modules/\nsrc/\n  b.ts\n  deep/');
  });

  it('lists what a folder contains directly below it, also beside names that are sorted before its slash', async () => {
    const outputs = await outputsOf([list({ dir_path: '.' })], { files: { 'a/x': '', 'a-b': '', 'a.c': '', B: '' } });
    expect(outputs).toEqual(['Absolute path: .\nB\na/\n  x\na-b\na.c']);
  });

  it('says when there is more, and starts at the offset', async () => {
    const made = [
      list({ dir_path: 'src', limit: 1 }),
      list({ dir_path: 'src', offset: 2, depth: 3 }),
      list({ dir_path: 'src', offset: 9 }),
      list({ dir_path: 'a.txt' }),
      list({ dir_path: 'none' }),
    ];
    const outputs = await outputsOf(made, { files });
    expect(outputs.slice(0, 3)).toEqual([
      'Absolute path: src\nb.ts\nMore than 1 entries found',
      'Absolute path: src\ndeep/\n  c.ts',
      'Entry 9 is beyond the end: there are 3 entries.',
    ]);
    expect(outputs[3]).toMatch(/a\.txt/);
    expect(outputs[4]).toMatch(/none does not exist/);
  });

  it('says that there is more than it looks at', async () => {
    const deps = ({ workspace }: Ports) => {
      const names = Array.from({ length: 10_001 }, (_, at) => ({ name: `f${at}`, type: 'file' as const }));
      return { workspace: { ...workspace, list: async () => names } };
    };
    const made = [list({ dir_path: '.', offset: 10_000 }), list({ dir_path: '.', offset: 10_001 })];
    const [last = '', beyond] = await outputsOf(made, { deps });
    expect(last.split('\n').slice(1)).toEqual([
      'f9999',
      'More than 10000 entries found; no more are looked at: name a folder below.',
    ]);
    expect(beyond).toBe(
      'Entry 10001 is beyond the end: only the first 10000 entries are looked at; name a folder below.',
    );
  });
});

describe('grep_files', () => {
  const files = {
    'old.ts': 'const rain = 1;\n',
    'new.ts': 'rain\n',
    'notes.md': 'rain\n',
    'dist/out.ts': 'rain\n',
    'sub/kept.ts': 'rain\n',
    'sub/left.log': 'rain\n',
    '.gitignore': 'dist/\n*.log\n',
    'node_modules/x/rain.ts': 'rain\n',
  };
  const aged = (chat: Scenario) => {
    for (const [index, name] of ['new.ts', 'notes.md', 'sub/kept.ts', 'old.ts'].entries()) {
      utimesSync(chat.folder.at(name), 1_000_000 - index, 1_000_000 - index);
    }
  };

  it('returns files with a match, newest first, without what is ignored', async () => {
    const made = [
      grep({ pattern: '^rain$' }),
      grep({ pattern: 'rain', include: '*.{ts,tsx}', limit: 2 }),
      grep({ pattern: 'rain', path: 'sub' }),
      grep({ pattern: 'rain', path: 'notes.md' }),
      grep({ pattern: 'rain', path: 'dist' }),
    ];
    expect(await outputsOf(made, { files }, aged)).toEqual([
      'new.ts\nnotes.md\nsub/kept.ts',
      'new.ts\nsub/kept.ts',
      'sub/kept.ts',
      'notes.md',
      'dist/out.ts',
    ]);
  });

  it('names files that are too large to be searched', async () => {
    const made = [grep({ pattern: 'rain' }), grep({ pattern: 'rain', path: 'big.txt' }), grep({ pattern: 'snow' })];
    const outputs = await outputsOf(made, { files: { 'a.txt': 'rain\n' } }, (chat) =>
      writeFileSync(chat.folder.at('big.txt'), Buffer.alloc(50 * 1024 * 1024 + 1, 'rain\n')),
    );
    const note = 'Too large to be searched: big.txt.';
    expect(outputs.slice(0, 2)).toEqual([`a.txt\n${note}`, `No matches found.\n${note}`]);
    // Ripgrep has searched it.
    expect(['No matches found.', `No matches found.\n${note}`]).toContain(outputs[2]);
  });

  it('reports none, a broken pattern, a missing folder, and a pattern that takes too long', async () => {
    const made = [
      grep({ pattern: 'snow' }),
      grep({ pattern: '(' }),
      grep({ pattern: 'x', path: 'none' }),
      grep({ pattern: '' }),
      grep({ pattern: '^(a+)+$', path: 'bad.txt' }),
    ];
    expect(await outputsOf(made, { files: { ...files, 'bad.txt': `${'a'.repeat(40)}b\n` } })).toEqual([
      'No matches found.',
      'The pattern is not a regular expression: Invalid regular expression: /(/: Unterminated group.',
      'none does not exist.',
      'Failed to parse the arguments: pattern: Too small: expected string to have >=1 characters. Nothing was run.',
      'The pattern takes too long. Write a simpler one.',
    ]);
  });
});

describe('the text of an editor', () => {
  it('is what is read and searched, not the disk', async () => {
    const deps = ({ workspace }: Ports) => {
      const readPlaces: Workspace['readPlaces'] = async (places, signal) => {
        const found = new Map(await workspace.readPlaces(places, signal));
        for (const file of found.keys()) {
          if (file.endsWith('a.txt')) found.set(file, { text: 'unsaved\n', source: 'buffer', dirty: true });
        }
        return found;
      };
      return { workspace: { ...workspace, readPlaces } };
    };
    const made = [read({ file_path: 'a.txt' }), grep({ pattern: 'unsaved' })];
    expect(await outputsOf(made, { files: { 'a.txt': 'saved\n' }, deps })).toEqual(['L1: unsaved', 'a.txt']);
  });
});

describe('a file that may not be read', () => {
  const files = { '.env': 'KEY=1\n', '.env.example': 'KEY=\n', 'sub/.env.local': 'KEY=2\n', 'key.pem': 'KEY\n' };

  it('is refused by its name, by a link and by a search, while its example is readable', async () => {
    const made = [
      read({ file_path: '.env' }),
      read({ file_path: './sub/../.env' }),
      read({ file_path: 'link.txt' }),
      grep({ pattern: 'KEY' }),
      grep({ pattern: 'KEY', path: 'key.pem' }),
      read({ file_path: '.env.example' }),
    ];
    const outputs = await outputsOf(made, { files, interactive: false }, (chat) =>
      symlinkSync('.env', chat.folder.at('link.txt')),
    );
    const refused = (name: string, pattern: string) =>
      `${name} may not be read (sandbox.unreadable: ${pattern}). Reading it was not allowed. Go on without it.`;
    expect(outputs).toEqual([
      refused('.env', '**/.env'),
      refused('.env', '**/.env'),
      refused('.env', '**/.env'),
      '.env.example',
      refused('key.pem', '**/*.pem'),
      'L1: KEY=',
    ]);
  });

  it('is refused by every other way to its name', async () => {
    const isLinux = process.platform === 'linux';
    await using chat = await startScenario({
      files: { ...files, 'real/.env': 'KEY=3\n' },
      interactive: false,
      model: (_request, index) => {
        if (index > 0) return [says('Done.')];
        const folder = chat.folder.path;
        const self = isLinux ? `/proc/self/root${folder}` : folder;
        const fromHere = `${isLinux ? '/proc/self/cwd' : process.cwd()}/${path.relative(process.cwd(), folder)}`;
        const names = [
          ...['.env/.', '.env/', '.env//', '.ENV', 'folder/.env', './real/../.env', `${'real/../'.repeat(2_000)}.env`],
          ...[
            `${folder}//.env`,
            `${path.basename(folder)}/.env`,
            `${self}/.env`,
            `${self}/hard.txt`,
            `${fromHere}/.env`,
          ],
          ...[`file://${folder}/%2Eenv`, `FILE://localhost${folder}/.%65nv`, `file:${folder}/.env?x=1#L1`],
          ...['link.txt', 'folder/../hard.txt', 'folder/hard.txt'],
        ];
        const searches = [{ include: '.env' }, { include: '**/{.env,*.pem}' }, { path: 'folder' }, { path: self }];
        return [
          ...names.flatMap((name) => [read({ file_path: name }), calls('view_image', { path: name })]),
          ...searches.map((where) => grep({ pattern: 'KEY=\\d', ...where })),
        ];
      },
    });
    symlinkSync('real', chat.folder.at('folder'));
    symlinkSync('.env', chat.folder.at('link.txt'));
    linkSync(chat.folder.at('.env'), chat.folder.at('hard.txt'));
    linkSync(chat.folder.at('.env'), chat.folder.at('real/hard.txt'));
    await chat.send('go');
    const outputs = chat.outputs();
    expect(outputs).toHaveLength(2 * 18 + 4);
    expect(outputs.slice(0, -4).filter((one) => !/\.env may not be read \(sandbox\.unreadable: /i.test(one))).toEqual(
      [],
    );
    expect(outputs.slice(-4)).toEqual(Array(4).fill('No matches found.'));
  });

  it('is no other file with a name that only looks like its own', async () => {
    const names = [
      '.env ',
      ' .env',
      '.env\n',
      '%2Eenv',
      '$PWD/.env2',
      '\uFF0Eenv',
      '.e\u200Bnv',
      '.env\0',
      '.env\0.txt',
    ];
    const outputs = await outputsOf(
      names.map((name) => read({ file_path: name })),
      { files, interactive: false },
    );
    const refused = /does not exist\.$|^The path contains a NUL character\.$/;
    expect(outputs.filter((output) => !refused.test(output))).toEqual([]);
  });

  it('is refused and not found by its hard links, while links of other files are read', async () => {
    const made = [read({ file_path: 'hard.txt' }), read({ file_path: 'b.txt' }), grep({ pattern: 'KEY|one' })];
    const prepare = (chat: Scenario) => {
      linkSync(chat.folder.at('.env'), chat.folder.at('hard.txt'));
      linkSync(chat.folder.at('a.txt'), chat.folder.at('b.txt'));
    };
    const outputs = await outputsOf(made, { files: { ...files, 'a.txt': 'one\n' }, interactive: false }, prepare);
    expect(outputs[0]).toMatch(
      /^\.env may not be read \(sandbox\.unreadable: .*\), and hard\.txt is a hard link to it\./,
    );
    expect(outputs[1]).toBe('L1: one');
    expect(outputs[2]?.split('\n').toSorted()).toEqual(['.env.example', 'a.txt', 'b.txt']);
  });

  it('is not read by a folder that another program replaces with a link after the check', async () => {
    const deps = ({ workspace }: Ports) => {
      const [root = ''] = workspace.roots;
      const places: Workspace['places'] = async (paths) => {
        const found = await workspace.places(paths);
        if (paths.some((one) => one.endsWith('open/a.txt')) && existsSync(path.join(root, 'open/a.txt'))) {
          rmSync(path.join(root, 'open'), { recursive: true });
          symlinkSync('closed', path.join(root, 'open'));
        }
        return found;
      };
      return { workspace: { ...workspace, places } };
    };
    const options = {
      ...{ deps, interactive: false, unreadable: ['**/closed/**'] },
      files: { 'open/a.txt': 'one\n', 'closed/a.txt': 'KEY=1\n' },
    };
    const [output] = await outputsOf([read({ file_path: 'open/a.txt' })], options);
    expect(output).toBe('open/a.txt leads elsewhere now.');
  });

  it('is read once when the user allows it', async () => {
    const model = [[read({ file_path: '.env' })], [read({ file_path: '.env' })], [says('Done.')]];
    await using chat = await startScenario({ files, model });
    const ended = chat.turnEnds();
    const first = chat.next('question_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const answer = (questionId: string, label: string) =>
      chat.submit({ type: 'user_input_answer', questionId, answers: { read: [label] } });
    const second = first.then(({ request }) => {
      const asked = chat.next('question_requested');
      answer(request.questionId, 'Allow once');
      return asked;
    });
    answer((await second).request.questionId, 'Do not allow');
    await ended;
    expect(chat.outputs()[0]).toBe('L1: KEY=1');
    expect(chat.outputs()[1]).toContain('may not be read');
    expect(chat.items('file_lookup').map(({ status }) => status)).toEqual(['completed', 'declined']);
  });

  it('is not asked about under never, and folders of the setting are covered', async () => {
    const secret = tempFolder();
    mkdirSync(secret.at('keys'));
    writeFileSync(secret.at('keys', 'id'), 'secret\n');
    await using chat = await startScenario({
      policy: 'never',
      unreadable: [secret.at('keys')],
      model: [[read({ file_path: secret.at('keys', 'id') }), list({ dir_path: secret.path })], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.said('question_requested')).toEqual([]);
    expect(chat.outputs()[0]).toContain('may not be read (sandbox.unreadable)');
    expect(chat.outputs()[1]).toBe(`Absolute path: ${secret.path}\nkeys/`);
  });
});

describe('a lookup', () => {
  it('has one line in the audit log for its decision and one for its end', async () => {
    await using chat = await chatWith([read({ file_path: 'a.txt' })], { files: { 'a.txt': 'one\n' } });
    const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const rows = auditRows(lines.map((line) => auditEntrySchema.parse(JSON.parse(line))));
    expect(rows).toHaveLength(1);
    expect(rows[0]?.decision).toMatchObject({
      act: { type: 'tool', tool: 'read_file a.txt' },
      outcome: 'allowed',
      reason: { id: 'reads-files' },
    });
    expect(rows[0]?.end?.status).toBe('completed');
  });
});

it('a path of 50,000 folders is refused as too long, for reading, writing and as a working directory', async () => {
  const file = `${'a/'.repeat(50_000)}f.txt`;
  const patch = `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`;
  const made = [
    read({ file_path: file }),
    list({ dir_path: file }),
    grep({ pattern: 'x', path: file }),
    calls('view_image', { path: file }),
    calls('apply_patch', { input: patch }),
    calls('exec_command', { cmd: 'pwd', workdir: file }),
  ];
  const outputs = await outputsOf(made, { policy: 'never', sandbox: 'danger-full-access' });
  expect(outputs.map((output) => output.slice(-40))).toEqual(
    made.map(() => expect.stringMatching(/ cannot be used: the name is too long\.$/)),
  );
});
