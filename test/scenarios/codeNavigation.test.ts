/** code_navigation against an editor that answers as a language server may: slow, silent, ambiguous, flooding, stale. */
import { existsSync, linkSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CODE_TIMES } from '../../src/core/tools/code/askPatiently.ts';
import { codeNavigation } from '../../src/core/tools/code/codeNavigation.ts';
import { Toolset } from '../../src/core/session/toolset.ts';
import { FakeLanguages } from '../support/fakeLanguages.ts';
import { calls, says } from '../support/modelServer.ts';
import { overWhen } from '../support/overWhen.ts';
import { THREAD_DEFAULTS } from '../support/threadDefaults.ts';
import { TOOL_FAMILY, TOOL_OPTIONS } from '../support/toolOptions.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const FILES = {
  'lib.ts': 'export function load(): number {\n  return 1;\n}\n',
  'use.ts': "import { load } from './lib';\n\nload();\n",
  'twice.ts': 'const load = store.load;\n',
  '.env': 'load=1\n',
};

async function asked(
  args: object,
  prepare: (languages: FakeLanguages) => void = () => {},
  options: Partial<ScenarioOptions> = {},
  during: (chat: Scenario) => Promise<void> = async () => {},
) {
  const languages = new FakeLanguages();
  const { deps } = options;
  await using chat = await startScenario({
    files: FILES,
    ...options,
    model: [[calls('code_navigation', args)], [says('Done.')]],
    deps: (ports) => ({ ...deps?.(ports), languages }),
  });
  languages.at = (name) => chat.folder.at(name);
  prepare(languages);
  const sent = chat.send('go');
  await during(chat);
  await sent;
  const [output = ''] = chat.outputs();
  return {
    output: output.replaceAll(`${chat.folder.path}/`, ''),
    requests: languages.requests,
    item: chat.items('code_navigation')[0],
    patch: chat.items('file_change')[0],
    files: chat.files(),
    audit: existsSync(chat.home.at('audit.jsonl')) ? readFileSync(chat.home.at('audit.jsonl'), 'utf8') : '',
  };
}

describe('code_navigation', () => {
  it('finds places by a name and a line, with the text of each line', async () => {
    const places = (languages: FakeLanguages) =>
      (languages.places = [
        ['lib.ts', 1, 16],
        ['use.ts', 3],
        ['use.ts', 1, 9],
      ]);
    const { output, requests, item, audit } = await asked(
      { op: 'references', symbol: 'load()', path: 'use.ts', line: 3 },
      places,
    );
    const text =
      "3 references of load:\nlib.ts:1  export function load(): number {\nuse.ts:1  import { load } from './lib';\nuse.ts:3  load();";
    expect(output).toBe(text);
    expect(requests).toEqual(['open use.ts', 'references use.ts:3:0']);
    expect(item).toMatchObject({ op: 'references', symbol: 'load()', status: 'completed', found: 3, text });
    expect(audit).toContain('"tool":"code_navigation references load() use.ts"');
  });

  it('finds a symbol by its name alone, at its name behind a keyword', async () => {
    const { output, requests } = await asked({ op: 'definition', symbol: 'load' }, (languages) => {
      languages.symbols = [{}];
      languages.places = [['lib.ts', 1, 16]];
    });
    expect(output).toBe('1 definition of load:\nlib.ts:1  export function load(): number {');
    expect(requests.at(-1)).toBe('definition lib.ts:1:16');
  });

  it('opens a file with the word where the extensions know no symbol of the workspace yet', async () => {
    const { requests } = await asked({ op: 'definition', symbol: 'load' }, (languages) => {
      languages.places = [['lib.ts', 1, 16]];
    });
    expect(requests.filter((request) => request.startsWith('open')).length).toBeGreaterThan(0);
    expect(requests.at(-1)).toMatch(/^definition (?:lib|use|twice)\.ts:/);
    expect(requests.join()).not.toContain('.env');
  });

  it('names the candidates of an ambiguous name, and takes the container into account', async () => {
    const both = (languages: FakeLanguages) => {
      languages.symbols = [{ container: 'A' }, { path: 'use.ts', line: 3, container: 'B' }];
      languages.places = [['use.ts', 3]];
    };
    const { output, item } = await asked({ op: 'definition', symbol: 'load' }, both);
    expect(output.split('\n')).toEqual([
      'Which load? Call again with path and line of one of these:',
      'lib.ts:1  function in A  export function load(): number {',
      'use.ts:3  function in B  load();',
    ]);
    expect(item).toMatchObject({ status: 'completed', found: 0 });
    expect((await asked({ op: 'definition', symbol: 'B.load' }, both)).requests.at(-1)).toBe('definition use.ts:3:0');
  });

  it('says where a name stands that is not in the named line', async () => {
    const { output, item } = await asked({ op: 'hover', symbol: 'load', path: 'use.ts', line: 2 });
    expect(output).toBe('There is no load in line 2 of use.ts. It stands in: 1, 3');
    expect(item).toMatchObject({ status: 'failed', why: output });
  });

  it.each([
    [{ op: 'hover', symbol: 'load', path: '.env', line: 1 }],
    [{ op: 'diagnostics', path: '.env' }],
    [{ op: 'symbols', path: '.env' }],
  ])('quotes nothing of a file that may not be read: %j', async (args) => {
    const { output, requests } = await asked(args, (languages) => (languages.hover = ['load=1']));
    expect(output).toMatch(/^\.env may not be read/);
    expect(requests).toEqual([]);
  });

  it('counts places in files that may not be read, and describes nothing that is declared there', async () => {
    const hidden = (languages: FakeLanguages) => {
      languages.places = [
        ['lib.ts', 1],
        ['.env', 1],
      ];
      languages.hover = ['load=1'];
    };
    const { output } = await asked({ op: 'references', symbol: 'load', path: 'lib.ts', line: 1 }, hidden);
    expect(output).toContain('1 place in files that may not be read left out.');
    expect(output).not.toContain('load=1');
    const described = await asked({ op: 'hover', symbol: 'load', path: 'lib.ts', line: 1 }, hidden);
    expect(described.output).toBe('load is declared in a file that may not be read.');
    const problems = await asked({ op: 'diagnostics' });
    expect(problems.output).toMatch(
      /^1 problem in the editor\..*\nlib\.ts:1:2 error: wrong \(ts 1\) \| export function/,
    );
  });

  it.each([
    ['a link', symlinkSync],
    ['a hard link', linkSync],
  ])('quotes nothing of a file that may not be read by %s of it, however it is named', async (_kind, link) => {
    const hidden = (languages: FakeLanguages) => {
      link(languages.at('.env'), languages.at('other.ts'));
      languages.places = [
        ['lib.ts', 1],
        ['other.ts', 1],
      ];
      languages.hover = ['load=1'];
      languages.withProblems = ['lib.ts', 'other.ts'];
    };
    const at = { symbol: 'load', path: 'lib.ts', line: 1 };
    const references = await asked({ op: 'references', ...at }, hidden);
    expect(references.output).toContain('1 place in files that may not be read left out.');
    expect((await asked({ op: 'hover', ...at }, hidden)).output).toBe(
      'load is declared in a file that may not be read.',
    );
    expect((await asked({ op: 'diagnostics' }, hidden)).output).toMatch(/^1 problem in the editor\./);
    for (const path of ['other.ts', './sub/../other.ts', 'other.ts/.']) {
      const { output, requests } = await asked({ op: 'symbols', path }, hidden);
      expect([output, requests]).toEqual([expect.stringMatching(/^\.env may not be read .*Go on without it\.$/), []]);
    }
  });

  it('asks again while a language server is starting', async () => {
    let asks = 0;
    const starting = (languages: FakeLanguages) => {
      languages.known = false;
      languages.find = async () => (++asks < 3 ? [] : [{ path: languages.at('lib.ts'), line: 1, column: 16 }]);
    };
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    expect((await asked(args, starting)).output).toContain('lib.ts:1');
    // Twice empty, then found, then once more when the project was read.
    expect(asks).toBe(4);
  });

  it('does not take an answer about a part of a project for the whole', async () => {
    const partial = (languages: FakeLanguages) => {
      languages.known = false;
      languages.find = async () => {
        const all = ['use.ts', 'lib.ts'].map((name) => ({ path: languages.at(name), line: 1, column: 0 }));
        return languages.settled < 2 ? all.slice(0, 1) : all;
      };
    };
    const { output } = await asked({ op: 'references', symbol: 'load', path: 'use.ts', line: 3 }, partial);
    expect(output).toMatch(/^2 references of load:/);
  });

  it('says that the index is not ready when all answers were empty', async () => {
    let asks = 0;
    const silent = (languages: FakeLanguages) => {
      languages.known = false;
      languages.find = async () => {
        asks++;
        return [];
      };
    };
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    const { output } = await asked(args, silent, { deps: overWhen(CODE_TIMES.most, () => asks > 1) });
    expect(output).toMatch(/^Index not ready: within 10 s/);
  });

  it('says so at once when earlier calls have waited in vain, and soon when no extension names the language', async () => {
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    const silent = (change: Partial<FakeLanguages>) => (languages: FakeLanguages) =>
      void Object.assign(languages, { known: false, ...change });
    const again = await asked(args, silent({ silences: 2 }));
    expect(again.output).toMatch(/^Index not ready: no language extension of the editor answers about this\./);
    expect(again.requests).toEqual(['open use.ts', 'definition use.ts:3:0']);
    // Two pauses: 250 and 500 ms.
    const short = await asked(args, silent({ patience: 700 }));
    expect(short.output).toBe(again.output);
    expect(short.requests.slice(1)).toEqual(Array.from({ length: 3 }, () => 'definition use.ts:3:0'));
  });

  it('takes one waiting call for silence, and no answer that came', async () => {
    let waited: FakeLanguages | undefined;
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    const silent = (languages: FakeLanguages) => {
      languages.known = false;
      waited = languages;
    };
    await asked(args, silent, { deps: overWhen(CODE_TIMES.most, () => (waited?.requests.length ?? 0) > 2) });
    expect(waited?.silences).toBe(1);
    await asked(args, (languages) => {
      silent(languages);
      languages.places = [['lib.ts', 1, 16]];
    });
    expect(waited?.silences).toBe(0);
  });

  it('ends a request that is never answered', async () => {
    let isAsked = false;
    const slow = (languages: FakeLanguages) => {
      languages.find = () => {
        isAsked = true;
        return new Promise(() => {});
      };
    };
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    const { output } = await asked(args, slow, { deps: overWhen(CODE_TIMES.most, () => isAsked) });
    expect(output).toMatch(/^Index not ready: a language extension of the editor has not answered within 10 s/);
  });

  it('ends with the turn', async () => {
    const never = (languages: FakeLanguages) => (languages.find = () => new Promise(() => {}));
    const args = { op: 'definition', symbol: 'load', path: 'use.ts', line: 3 };
    const { item } = await asked(args, never, {}, async (chat) => {
      await chat.next('item_started');
      while (!chat.state.turns.at(-1)?.items.some(({ type }) => type === 'code_navigation'))
        await chat.next('item_started');
      chat.submit({ type: 'interrupt' });
    });
    expect(item).toMatchObject({ status: 'aborted' });
  });

  it('reports the failure of an extension', async () => {
    const broken = (languages: FakeLanguages) => (languages.find = () => Promise.reject(new Error('no project')));
    const { output } = await asked({ op: 'definition', symbol: 'load', path: 'use.ts', line: 3 }, broken);
    expect(output).toBe('A language extension of the editor failed: no project');
  });

  it('cuts a flood of places, and says how many there are', async () => {
    const flood = (languages: FakeLanguages) => {
      languages.places = Array.from({ length: 5_000 }, (_, index) => ['big.ts', index + 1] as const);
    };
    const files = { ...FILES, 'big.ts': `load();\n`.repeat(5_000) };
    const { output, item } = await asked({ op: 'references', symbol: 'load', path: 'use.ts', line: 3 }, flood, {
      files,
    });
    expect(output.split('\n')).toHaveLength(202);
    expect(output).toContain('… and 4800 more, in 1 file in all.');
    expect(item?.found).toBe(5_000);
  });

  it('recognizes places of an index that is older than the text', async () => {
    const stale = (languages: FakeLanguages) =>
      (languages.places = [
        ['lib.ts', 2],
        ['lib.ts', 90],
      ]);
    const { output } = await asked({ op: 'references', symbol: 'load', path: 'use.ts', line: 3 }, stale);
    expect(output).toContain(
      "1 place left out: behind the end of the file, so the editor's index is older than the text.",
    );
    expect(output).toContain('2 places do not have the word load');
  });

  it('lists the symbols of a file and of the workspace', async () => {
    const symbols = (languages: FakeLanguages) => {
      languages.symbols = [
        {},
        { name: 'save', line: 2, kind: 'method', container: 'Store' },
        { path: 'use.ts', line: 3 },
      ];
    };
    const inFile = await asked({ op: 'symbols', path: 'lib.ts', symbol: 'SAVE' }, symbols);
    expect(inFile.output).toBe('1 symbol in lib.ts:\nlib.ts:2  method Store.save  return 1;');
    expect((await asked({ op: 'symbols', symbol: 'load' }, symbols)).output).toMatch(/^3 symbols that match load:/);
  });

  it.each([
    [{ op: 'hover' }, 'symbol: hover needs it'],
    [{ op: 'rename', symbol: 'load' }, 'new_name: rename needs it'],
    [{ op: 'hover', symbol: 'load', line: 3 }, 'path: line needs it'],
  ])('runs nothing for %j', async (args, message) => {
    const { output, requests } = await asked(args);
    expect(output).toBe(`Failed to parse the arguments: ${message}. Nothing was run.`);
    expect(requests).toEqual([]);
  });
});

const edit = (line: number, column: number, text = 'fetch') => ({
  start: { line, column },
  end: { line, column: column + 4 },
  text,
});

/** The rename of `load` in both files. */
const toFetch = (languages: FakeLanguages) => {
  const file = { movedTo: null, text: undefined };
  languages.renamed = {
    type: 'renamed',
    files: [
      { ...file, path: languages.at('lib.ts'), edits: [edit(1, 16)] },
      { ...file, path: languages.at('use.ts'), edits: [edit(3, 0), edit(1, 9)] },
    ],
  };
};
const RENAME = { op: 'rename', symbol: 'load', path: 'lib.ts', line: 1, new_name: 'fetch' };

describe('a rename', () => {
  it('is one patch over all files', async () => {
    const { output, patch, files, item, audit } = await asked(RENAME, toFetch);
    expect(files['use.ts']).toBe("import { fetch } from './lib';\n\nfetch();\n");
    expect(files['lib.ts']).toContain('function fetch()');
    expect(output).toContain('Renamed load to fetch: 3 places in 2 files.');
    expect(patch?.changes.map(({ path, added, removed }) => [path, added, removed])).toEqual([
      ['lib.ts', 1, 1],
      ['use.ts', 2, 2],
    ]);
    expect(item).toBeUndefined();
    expect(audit).toContain('"type":"patch"');
  });

  it('is asked about like a patch, and a denial changes nothing', async () => {
    const deny = async (chat: Scenario) => {
      const { kind, changes } = await chat.next('approval_requested');
      expect([kind, changes?.map(({ path }) => path)]).toEqual(['patch', ['lib.ts', 'use.ts']]);
      await chat.answer({ denied: {} });
    };
    const { files, patch } = await asked(RENAME, toFetch, { review: 'before' }, deny);
    expect(patch).toMatchObject({ status: 'declined' });
    expect(files['use.ts']).toBe(FILES['use.ts']);
  });

  it('is refused where patches are', async () => {
    const { patch, files } = await asked(RENAME, toFetch, { sandbox: 'read-only', policy: 'never' });
    expect(patch).toMatchObject({ status: 'declined' });
    expect(files).toEqual(expect.objectContaining(FILES));
  });

  it('moves a file where the extension does', async () => {
    const moving = (languages: FakeLanguages) => {
      const path = languages.at('lib.ts');
      const file = { path, movedTo: languages.at('fetch.ts'), text: undefined, edits: [edit(1, 16)] };
      languages.renamed = { type: 'renamed', files: [file] };
    };
    const { files } = await asked(RENAME, moving);
    expect(Object.keys(files)).not.toContain('lib.ts');
    expect(files['fetch.ts']).toContain('function fetch()');
    const taken = await asked(RENAME, moving, { files: { ...FILES, 'fetch.ts': 'mine\n' } });
    expect(taken.files['fetch.ts']).toBe('mine\n');
    expect(taken.output).toBe(
      'The rename of load does not fit: it would move lib.ts to fetch.ts, which exists. Nothing was changed.',
    );
  });

  it.each([
    ['replaces another word', { text: undefined, edits: [edit(2, 2)] }],
    ['lies behind the end', { text: undefined, edits: [edit(40, 0)] }],
    ['is for another text', { text: 'older\n', edits: [edit(1, 16)] }],
  ])('changes nothing where an edit %s', async (_, file) => {
    const { output, files, item } = await asked(RENAME, (languages) => {
      languages.renamed = { type: 'renamed', files: [{ path: languages.at('lib.ts'), movedTo: null, ...file }] };
    });
    expect(output).toContain("the editor's index of lib.ts is older than its text. Nothing was changed.");
    expect(item).toMatchObject({ op: 'rename', status: 'failed' });
    expect(files).toEqual(expect.objectContaining(FILES));
  });

  it('touches no file that may not be read without being asked', async () => {
    const secret = (languages: FakeLanguages) => {
      const file = { movedTo: null, text: undefined, path: languages.at('.env'), edits: [edit(1, 0)] };
      languages.renamed = { type: 'renamed', files: [file] };
    };
    const { files, patch } = await asked(RENAME, secret, { policy: 'never' });
    expect(patch).toMatchObject({ status: 'declined' });
    expect(files['.env']).toBe('load=1\n');
  });

  it.each(['hard link', 'link'])('is asked about when it edits a file that may not be read by a %s', async (kind) => {
    const secret = (languages: FakeLanguages) => {
      if (kind === 'link') symlinkSync('.env', languages.at('other.ts'));
      else linkSync(languages.at('.env'), languages.at('other.ts'));
      const file = { movedTo: null, text: undefined, path: languages.at('other.ts'), edits: [edit(1, 0)] };
      languages.renamed = { type: 'renamed', files: [file] };
    };
    const deny = async (chat: Scenario) => {
      const { reason } = await chat.next('approval_requested');
      expect(reason.text).toMatch(/\.env may not be read \(sandbox|other\.ts leads by a link to \S+\.env\.$/);
      await chat.answer({ denied: {} });
    };
    const { files, patch } = await asked(RENAME, secret, {}, deny);
    expect(patch).toMatchObject({ status: 'declined' });
    expect(files['.env']).toBe('load=1\n');
  });

  it('of a name that stands twice in a line for different symbols is not guessed', async () => {
    const args = { op: 'rename', symbol: 'load', path: 'twice.ts', line: 1, new_name: 'fetch' };
    const { output, requests } = await asked(args, (languages) => {
      languages.find = async (_relation, at) => [
        { path: languages.at('lib.ts'), line: at.column > 10 ? 1 : 2, column: 0 },
      ];
    });
    expect(output).toMatch(/^load stands 2 times in line 1, for different symbols/);
    expect(requests.join()).not.toContain('rename');
  });

  it('of a name that several lines have is not guessed', async () => {
    const { output } = await asked({ op: 'rename', symbol: 'load', path: 'use.ts', new_name: 'fetch' });
    expect(output).toBe(
      "Which load? Call again with path and line of one of these:\nuse.ts:1  import { load } from './lib';\nuse.ts:3  load();",
    );
  });

  it('is not offered to an agent that may not change files, and not done for it', async () => {
    const languages = new FakeLanguages();
    const offered = (allowed: readonly string[]) => {
      const toolset = new Toolset({
        settings: { ...THREAD_DEFAULTS.tools, problemsAfterPatch: 'off', unreadable: [], memory: false, allowed },
        rules: TOOL_OPTIONS.rules,
        readMemory: async () => undefined,
        host: { isTrusted: () => true },
        languages,
        onRejected: () => {},
      });
      return JSON.stringify(toolset.registryFor(TOOL_FAMILY).handler('code_navigation')?.spec);
    };
    expect(offered(['code_navigation'])).not.toContain('rename');
    expect(offered(['code_navigation', 'apply_patch'])).toContain('"rename"');
    const handler = codeNavigation(languages, () => 'after', false);
    const prepared = await handler.prepare(RENAME as never, { itemId: 'i', callId: 'c' } as never);
    expect(prepared).toMatchObject({ plan: { type: 'refused', output: 'This agent may not change files.' } });
  });

  it('gives the reason of an extension that refuses', async () => {
    const { output } = await asked(RENAME);
    expect(output).toBe('The language extension does not rename load: No result.');
  });
});

it('code_navigation is not offered where there is no editor, and takes at most 250 tokens where there is one', async () => {
  await using without = await startScenario({ files: {}, model: [[says('Done.')]] });
  await without.send('go');
  expect(without.server.requests[0]?.toolNames).not.toContain('code_navigation');
  await using chat = await startScenario({
    files: {},
    model: [[says('Done.')]],
    deps: () => ({ languages: new FakeLanguages() }),
  });
  await chat.send('go');
  const { tools } = chat.server.lastRequest.body as { tools: { name?: string }[] };
  const spec = tools.find(({ name }) => name === 'code_navigation');
  expect(JSON.stringify(spec).length / 4).toBeLessThanOrEqual(250);
});
