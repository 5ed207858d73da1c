/** Settings about models and their instructions, from the settings file to the request and back. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Event, eventSchema } from '../../src/protocol/event.ts';
import { IMITATIONS } from '../support/imitations.ts';
import { type ModelRequest, ModelServer, reasons, says, usage } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

interface Answered {
  readonly request: ModelRequest;
  readonly events: readonly Event[];
}

/** One turn of `tiller exec` under a settings.json; the server is called `mine` and behaves like OpenAI’s. */
async function exec(settings: Record<string, unknown>, files: Record<string, string> = {}): Promise<Answered> {
  using folder = tempFolder();
  await using server = await ModelServer.start([
    [says('Hello.'), usage({ input: 1000, cachedInput: 400, output: 50 })],
  ]);
  const mine = { baseUrl: server.baseUrl, dialect: 'openai', ...(settings['mine'] as object) };
  const { mine: _mine, ...more } = settings;
  mkdirSync(folder.at('tiller'));
  mkdirSync(folder.at('work/.git'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.at('work', name), text);
  const all = { model: 'gpt-5.5', provider: 'mine', providers: { mine }, ...more };
  writeFileSync(folder.at('tiller/settings.json'), JSON.stringify(all).replaceAll('$WORK', folder.at('work')));
  const run = await runCli(['exec', '--json', '--cd', folder.at('work'), 'hi'], { home: folder.path });
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  const events = run.stdout.trimEnd().split('\n');
  return { request: server.lastRequest, events: events.map((line) => eventSchema.parse(JSON.parse(line))) };
}

function tokenCount({ events }: Answered) {
  return events.map(({ msg }) => msg).find((msg) => msg.type === 'token_count');
}

describe('a model that supports every setting', () => {
  it('gets the defaults of its family', async () => {
    const { request } = await exec({});
    expect(request.body).toMatchObject({
      model: 'gpt-5.5',
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      text: { verbosity: 'low' },
    });
  });

  it('gets the values of the user', async () => {
    const { request } = await exec({ verbosity: 'high', 'reasoning.effort': 'xhigh', 'reasoning.summary': 'none' });
    expect(request.body['reasoning']).toEqual({ effort: 'xhigh' });
    expect(request.body['text']).toEqual({ verbosity: 'high' });
  });

  it('gets no optional field on a server that is not known to take it', async () => {
    const { request } = await exec({ mine: { dialect: 'plain' } });
    for (const field of ['reasoning', 'text', 'store', 'include']) expect(request.body).not.toHaveProperty(field);
  });

  it('gets what the user has chosen on any server', async () => {
    const { request } = await exec({ verbosity: 'high', 'reasoning.effort': 'high', mine: { dialect: 'plain' } });
    expect(request.body).toMatchObject({ reasoning: { effort: 'high' }, text: { verbosity: 'high' } });
    for (const field of ['store', 'include']) expect(request.body).not.toHaveProperty(field);
  });
});

describe('the settings of a model', () => {
  it('set its window and its price', async () => {
    const models = {
      'gpt-5.5': { contextWindow: 64_000, inputPrice: 10, cachedInputPrice: 1, outputPrice: 100 },
      other: { contextWindow: 1 },
    };
    const cost = (600 * 10 + 400 * 1 + 50 * 100) / 1_000_000;
    expect(tokenCount(await exec({ mine: { models } }))).toMatchObject({
      contextWindow: 64_000,
      cost: { last: cost, total: cost },
    });
  });

  it('may be empty: the window is the family’s, the price unknown', async () => {
    const count = tokenCount(await exec({}));
    expect(count).toMatchObject({ contextWindow: 272_000 });
    expect(count).not.toHaveProperty('cost');
  });
});

describe('a local server', () => {
  it('is asked for the window of its loaded model', async () => {
    using folder = tempFolder();
    const imitates = IMITATIONS.find(({ name }) => name === 'Ollama');
    await using server = await ModelServer.start([[says('Hello.')]], { imitates });
    const config = ['-c', `providers.mine.baseUrl=${server.baseUrl}`, '-c', 'providers.mine.wireApi=chat'];
    const run = await runCli(
      ['exec', '--json', '--cd', folder.path, '-c', 'provider=mine', ...config, '--model', 'qwen3-coder:30b', 'hi'],
      { home: folder.path },
    );
    expect(run.code).toBe(0);
    const events = run.stdout.trimEnd().split('\n');
    const [count] = events
      .map((line) => eventSchema.parse(JSON.parse(line)).msg)
      .filter(({ type }) => type === 'token_count');
    expect(count).toMatchObject({ contextWindow: 32_768 });
  });
});

describe('instructions', () => {
  it('are read from a file where one is named', async () => {
    const { request } = await exec({ baseInstructionsFile: '$WORK/base.md' }, { 'base.md': 'You are somebody else.' });
    expect(request.body['instructions']).toBe('You are somebody else.');
  });

  it('of the user come before those of the project, whose file may have another name', async () => {
    const { request } = await exec({ userInstructions: 'Speak French.' }, { 'CLAUDE.md': 'Use tabs.' });
    expect(request.text).toContain('<INSTRUCTIONS>\\nSpeak French.\\n\\nUse tabs.\\n</INSTRUCTIONS>');
  });

  it('of the project are those of AGENTS.md where there is one, else those of a file that the setting names', async () => {
    const both = await exec({}, { 'AGENTS.md': 'Use tabs.', 'CLAUDE.md': 'Use spaces.' });
    expect(both.request.text).toContain('Use tabs.');
    expect(both.request.text).not.toContain('Use spaces.');
    const none = await exec({ projectDocFallbackFilenames: [] }, { 'CLAUDE.md': 'Use spaces.' });
    expect(none.request.text).not.toContain('Use spaces.');
  });

  it('of the project can be left out', async () => {
    const { request } = await exec({ projectDocMaxBytes: 0 }, { 'AGENTS.md': 'Use tabs.' });
    expect(request.text).not.toContain('Use tabs.');
  });
});

describe('raw reasoning', () => {
  const model = [[reasons('Thinking.', { raw: 'secret steps' }), says('Done.')], [says('Again.')]];

  it.each(['responses', 'chat'] as const)('is shown on %s only where it is turned on', async (wire) => {
    await using quiet = await startScenario({ wire, model });
    await quiet.send('go');
    expect(JSON.stringify(quiet.events)).not.toContain('secret steps');
    await using open = await startScenario({ wire, model, showRawReasoning: true });
    await open.send('go');
    expect(open.items('reasoning')).toMatchObject([{ status: 'completed', raw: 'secret steps' }]);
    const deltas = open.said('item_delta').filter(({ kind }) => kind === 'raw');
    expect(deltas.map(({ text }) => text).join('')).toBe('secret steps');
  });

  it('is sent back to the model unchanged, shown or not', async () => {
    const [turn, next] = model;
    const sealed = [reasons(['Thinking.'], { encrypted: 'c2VhbA==' }), says('Done.')];
    await using chat = await startScenario({
      modelName: 'gpt-5.5',
      provider: { dialect: 'openai' },
      model: [sealed, turn ?? [], next ?? []],
    });
    await chat.send('go');
    await chat.send('and on');
    await chat.send('and on');
    const replayed = chat.server.lastRequest.input.filter(({ type }) => type === 'reasoning');
    expect(replayed).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Thinking.' }], encrypted_content: 'c2VhbA==' },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Thinking.' }],
        content: [{ type: 'reasoning_text', text: 'secret steps' }],
        encrypted_content: null,
      },
    ]);
  });
});
