/**
 * All that a model reads before its first answer, as files in test/fixtures/prompts. A change of it is a reviewed change:
 * `npx vitest run test/scenarios/promptLedger.test.ts --update` writes the files again.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { REVIEWER_INSTRUCTIONS, reviewMessage, VERDICT_SCHEMA } from '../../src/core/prompt/approvalReview.ts';
import { estimateTokens } from '../../src/core/util/tokens.ts';
import { textOf } from '../../src/protocol/responseItem.ts';
import { familyOf } from '../../src/core/model/families.ts';
import { png } from '../support/images.ts';
import {
  contextOf,
  DEFAULT_MODE,
  FAMILIES,
  instructionsOf,
  type LedgerCase,
  LedgerBench,
  type LedgerRequest,
  MODES,
  type Mode,
  PROMPT,
  SERVERS,
  showInstructions,
  showMessages,
  showRequest,
  showTools,
  tokensOf,
  toolSetName,
  toolsOf,
} from '../support/promptLedger.ts';
import { randomOf } from '../support/random.ts';

const FOLDER = path.join(import.meta.dirname, '../fixtures/prompts');

const CASES: readonly LedgerCase[] = [
  {
    name: 'settings of the model',
    settings: { effort: 'high', summary: 'none' },
    prompt: { verbosity: 'high' },
    turn: { outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] } },
  },
  {
    name: 'an image',
    turn: {
      input: [
        { type: 'text', text: PROMPT },
        { type: 'image', imageUrl: `data:image/png;base64,${png().toString('base64')}` },
      ],
    },
  },
  {
    name: 'mentions',
    files: { 'src/a.ts': 'export const a = 1;\nexport const b = 2;\n' },
    turn: {
      input: [
        { type: 'text', text: 'Why does @src/a.ts:2 fail? See @problems and @gone.ts' },
        { type: 'mention', kind: 'file', name: 'src/a.ts:2', path: 'src/a.ts', lines: { first: 2, last: 2 } },
        { type: 'mention', kind: 'folder', name: 'src', path: 'src' },
        { type: 'mention', kind: 'problems', name: 'problems', path: '', text: 'src/a.ts:2:14 error: Not a number.' },
        { type: 'mention', kind: 'file', name: 'gone.ts', path: 'gone.ts' },
      ],
    },
  },
  {
    name: 'an editor, and a test command',
    editor: true,
    files: { 'package.json': '{ "scripts": { "test": "vitest run" } }\n' },
  },
  { name: 'a workspace that is not trusted', trusted: false },
  {
    name: 'tools of the client',
    tools: [
      {
        name: 'weather',
        description: 'Tells the weather.',
        inputSchema: { type: 'object', properties: { town: { type: 'string' } } },
      },
    ],
  },
  {
    name: 'instructions of the user and the project',
    prompt: { userInstructions: 'Answer in French.' },
    homeFiles: { 'AGENTS.md': 'Use tabs.\n' },
    files: { 'AGENTS.md': '# Style\nNo comments.\n' },
  },
  {
    name: 'rules that allow commands',
    homeFiles: {
      'rules.json': JSON.stringify({
        version: 1,
        rules: [
          { pattern: ['npm', ['test', 'run']], decision: 'allow' },
          { pattern: ['docker', 'ps'], decision: 'allow', bypassSandbox: true },
        ],
      }),
    },
  },
  {
    name: 'memories of earlier threads',
    memory: true,
    homeFiles: {
      'memories/019bc1a0-0000-7000-8000-000000000001.md':
        '---\ntitle: "Fix the parser"\nfolder: "/"\nupdated: 2026-01-14T12:00:00.000Z\n---\n\n## Summary\n\nIt was the lexer.\n',
    },
  },
  { name: 'base instructions of the user', prompt: { baseInstructions: 'You are a pirate.' } },
  {
    name: 'plan mode, and its end',
    settings: { planMode: true, sandboxPolicy: { type: 'read-only', networkAccess: false } },
    secondTurn: { overrides: { planMode: false, box: { type: 'read-only', networkAccess: false } } },
  },
  {
    name: 'a second turn under other settings',
    secondTurn: { overrides: { policy: 'never', box: { type: 'read-only', networkAccess: false } } },
  },
];

const TOOL_SETS = [
  'exec-command-freeform-patch',
  'exec-command-freeform-patch-explained',
  'exec-command-function-patch',
  'exec-command-function-patch-file-tools',
  'exec-command-function-patch-file-tools-no-images',
  'exec-command-freeform-patch-no-images',
  'exec-command-function-patch-no-images',
  'local-shell-function-patch-no-images',
];

const first = <Item>(items: readonly Item[]): Item => {
  const [item] = items;
  if (item === undefined) throw new Error('There is none.');
  return item;
};

const defaultMode = first(MODES.filter(({ name }) => name === DEFAULT_MODE));
const requests = new Map<string, LedgerRequest>();
const inModes = new Map<string, LedgerRequest>();
const inCases = new Map<string, LedgerRequest>();
/** Shared parts, keyed by their text. */
const parts = new Map<string, string>();
const toolSets = new Map<string, LedgerRequest>();

beforeAll(async () => {
  await using bench = await LedgerBench.start();
  for (const [family, model] of FAMILIES) {
    for (const server of SERVERS) {
      const request = await bench.request(server, defaultMode, { model });
      requests.set(keyOf(family, server.name), request);
      const known = parts.get(JSON.stringify(toolsOf(request)));
      const name = `tools/${toolSetName(request)}.md`;
      if (known === undefined) {
        if (toolSets.has(name)) throw new Error(`Two sets of tools are called ${name}.`);
        toolSets.set(name, request);
        parts.set(JSON.stringify(toolsOf(request)), name);
      }
      parts.set(instructionsOf(request), 'instructions.md');
    }
  }
  for (const mode of MODES) {
    const request = await bench.request(first(SERVERS), mode, {});
    inModes.set(mode.name, request);
    if (mode.name !== DEFAULT_MODE) continue;
    contextOf(request).forEach(({ text }, index) => parts.set(text, `${fileOfMode(mode)}, message ${index + 1}`));
  }
  for (const asked of CASES) {
    await using own = await LedgerBench.start(asked);
    for (const server of SERVERS.filter(({ dialect }) => dialect === 'openai')) {
      inCases.set(keyOf(asked.name, server.name), await own.request(server, defaultMode, asked));
    }
  }
}, 120_000);

function keyOf(what: string, server: string): string {
  return `${what} at ${server}`;
}

function fileName(name: string): string {
  return `${name.replaceAll(/[ ,]+/g, '-')}.md`;
}

function fileOfMode({ name }: Pick<Mode, 'name'>): string {
  return `modes/${fileName(name)}`;
}

function from(known: ReadonlyMap<string, LedgerRequest>, key: string): LedgerRequest {
  const request = known.get(key);
  if (request === undefined) throw new Error(`Nothing was sent for ${key}.`);
  return request;
}

async function expectFile(name: string, text: string): Promise<void> {
  await expect(text, 'what the model reads has changed; vitest run … --update accepts it').toMatchFileSnapshot(
    path.join(FOLDER, name),
  );
}

describe('the prompt ledger', () => {
  test('holds the instructions', async () => {
    const [instructions, ...others] = [...new Set([...requests.values()].map(instructionsOf))];
    expect(others).toEqual([]);
    await expectFile('instructions.md', showInstructions(instructions ?? ''));
  });

  test.each(TOOL_SETS)('holds the tools %s', async (name) => {
    const file = `tools/${name}.md`;
    await expectFile(file, showTools(name, toolsOf(from(toolSets, file))));
  });

  test.each(MODES)('holds the context of the mode $name', async (mode) => {
    await expectFile(fileOfMode(mode), showMessages(mode.name, contextOf(from(inModes, mode.name))));
  });

  test.each(FAMILIES)('holds the first request of %s at every kind of server', async (family, model) => {
    const sections = new Map<string, readonly string[]>();
    for (const { name } of SERVERS) {
      const text = showRequest(from(requests, keyOf(family, name)), parts);
      sections.set(text, [...(sections.get(text) ?? []), name]);
    }
    const shown = [...sections].map(([text, servers]) => `## ${servers.join('; ')}\n\n${text}`);
    await expectFile(`requests/${fileName(family)}`, [`# ${family} (${model})\n`, ...shown].join('\n'));
  });

  test.each(CASES)('holds the last request with $name', async ({ name, secondTurn }) => {
    const servers = SERVERS.filter(({ dialect }) => dialect === 'openai');
    const shown = servers.map(
      (server) => `## ${server.name}\n\n${showRequest(from(inCases, keyOf(name, server.name)), parts)}`,
    );
    const title = `# gpt-5 with ${name}\n${secondTurn === undefined ? '' : '\nThe second request.\n'}`;
    await expectFile(`cases/${fileName(name)}`, [title, ...shown].join('\n'));
  });

  test('holds the tokens of each first request', async () => {
    const rows = FAMILIES.flatMap(([family]) =>
      SERVERS.map((server) => {
        const { instructions, tools, context, total } = tokensOf(from(requests, keyOf(family, server.name)));
        return `| ${[family, server.name, instructions, tools, context, total].join(' | ')} |`;
      }),
    );
    const usual = tokensOf(from(inModes, DEFAULT_MODE)).context;
    const modes = MODES.map(({ name }) => {
      const { context } = tokensOf(from(inModes, name));
      const more = context - usual;
      return `| ${name} | ${context} | ${more > 0 ? '+' : ''}${more} |`;
    });
    const cases = CASES.flatMap(({ name }) =>
      SERVERS.filter(({ dialect }) => dialect === 'openai').map((server) => {
        const { instructions, tools, context, total } = tokensOf(from(inCases, keyOf(name, server.name)));
        return `| ${[name, server.name, instructions, tools, context, total].join(' | ')} |`;
      }),
    );
    const text = [
      '# Tokens of a first request',
      '',
      'By estimate: a token is four bytes of UTF-8. The user’s own message is not counted.',
      '',
      `In the mode “${DEFAULT_MODE}”:`,
      '',
      '| family | server | instructions | tools | context | all |',
      '| --- | --- | --: | --: | --: | --: |',
      ...rows,
      '',
      'In another mode the context differs, and only the context:',
      '',
      '| mode | context | difference |',
      '| --- | --: | --: |',
      ...modes,
      '',
      'With gpt-5 and what the user, the project or the client adds (images are not counted):',
      '',
      '| with | server | instructions | tools | context | all |',
      '| --- | --- | --: | --: | --: | --: |',
      ...cases,
      '',
    ];
    await expectFile('tokens.md', text.join('\n'));
  });

  test('holds what the reviewer of approvals reads', async () => {
    const message = reviewMessage([PROMPT, 'Then run the tests.'], {
      command: 'npm test -- retry',
      cwd: '/workspace',
      justification: 'Check the fix.',
      asked: 'The approval policy asks before every command that is not known to be read-only.',
      agent: undefined,
    });
    const text = [
      '# The reviewer of approvals',
      '',
      `Instructions (${estimateTokens(REVIEWER_INSTRUCTIONS)} tokens by estimate); no tools; the schema of the answer; one message.`,
      '',
      REVIEWER_INSTRUCTIONS,
      '',
      '```json',
      JSON.stringify(VERDICT_SCHEMA),
      '```',
      '',
      '```text',
      textOf(message?.content ?? []),
      '```',
      '',
    ];
    await expectFile('approval-reviewer.md', text.join('\n'));
  });

  test('holds no other file', () => {
    const expected = [
      'instructions.md',
      'tokens.md',
      'approval-reviewer.md',
      ...TOOL_SETS.map((name) => `tools/${name}.md`),
      ...MODES.map(fileOfMode),
      ...FAMILIES.map(([family]) => `requests/${fileName(family)}`),
      ...CASES.map(({ name }) => `cases/${fileName(name)}`),
    ];
    const there = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    expect(there.map((name) => name.replaceAll('\\', '/')).toSorted()).toEqual(expected.toSorted());
  });

  test('has every set of tools', () => {
    expect([...toolSets.keys()].toSorted()).toEqual(TOOL_SETS.map((name) => `tools/${name}.md`).toSorted());
  });

  test('has one model of every family', () => {
    for (const [family, model] of FAMILIES) expect(familyOf(model).id).toBe(family);
    const source = readFileSync(path.join(import.meta.dirname, '../../src/core/model/families.ts'), 'utf8');
    const ids = [...source.matchAll(/\bid: '([^']+)'/g)].map(([, id]) => String(id));
    expect([...new Set(ids)].toSorted()).toEqual(FAMILIES.map(([family]) => family).toSorted());
  });
});

test('combines family and server with mode in a request, for every mode', async () => {
  const random = randomOf('families and modes');
  await using bench = await LedgerBench.start();
  for (let round = 0; round < 12; round++) {
    const [family, model] = random.pick(FAMILIES);
    const server = random.pick(SERVERS);
    const mode = random.pick(MODES);
    const request = await bench.request(server, mode, { model });
    const inDefault = from(requests, keyOf(family, server.name));
    const texts = (one: LedgerRequest) => contextOf(one).map(({ text }) => text);
    expect(texts(request)).toEqual(texts(from(inModes, mode.name)));
    expect(showRequest(request, named(request))).toBe(showRequest(inDefault, named(inDefault)));
  }

  /** The context by its folder: everything else must be equal. */
  function named(request: LedgerRequest): ReadonlyMap<string, string> {
    return new Map(contextOf(request).map(({ text }, index) => [text, `context ${index}`]));
  }
});
