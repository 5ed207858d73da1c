/** Models that another extension offers through `vscode.lm`, with a real provider. */
import assert from 'node:assert/strict';
import { suite, suiteSetup, suiteTeardown, test } from 'mocha';
import * as vscode from 'vscode';
import { ModelFault, type Prompt, type ResponseEvent } from '../../src/core/model/client.ts';
import { LanguageModels } from '../../src/vscode/models/languageModels.ts';
import { eventually } from './support/page.ts';

type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;
type Answer = (
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  options: vscode.ProvideLanguageModelChatResponseOptions,
  progress: Progress,
  token: vscode.CancellationToken,
) => Promise<void>;

const PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
} as const;

const says = (text: string) => new vscode.LanguageModelTextPart(text);

function prompt(more: Partial<Prompt> = {}): Prompt {
  return {
    model: 'scripted',
    instructions: 'Be brief.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
    tools: [],
    parallelToolCalls: true,
    effort: null,
    summary: 'auto',
    cacheKey: 't',
    ...more,
  };
}

suite('models of other extensions', () => {
  let answer: Answer = async () => {};
  let registration: vscode.Disposable;
  let count = 0;
  const models = new LanguageModels({ next: (prefix) => `${prefix}_${(count += 1)}` });

  suiteSetup(async () => {
    registration = vscode.lm.registerLanguageModelChatProvider('tiller-test', {
      provideLanguageModelChatInformation: () => [
        {
          id: 'scripted',
          name: 'Scripted',
          family: 'scripted',
          version: '1',
          maxInputTokens: 12_345,
          maxOutputTokens: 1000,
          capabilities: { toolCalling: true },
        },
      ],
      provideLanguageModelChatResponse: (_model, messages, options, progress, token) =>
        answer(messages, options, progress, token),
      provideTokenCount: async (_model, text) => (typeof text === 'string' ? text.length : 1),
    });
    await new Promise<void>((resolve) => {
      const look = async () => {
        if ((await models.list()).some(({ id }) => id === 'scripted')) resolve();
      };
      vscode.lm.onDidChangeChatModels(look);
      void look();
    });
  });
  suiteTeardown(() => registration.dispose());

  async function ask(said = prompt(), signal = new AbortController().signal, onText = () => {}) {
    const events: ResponseEvent[] = [];
    try {
      for await (const event of models.connect('scripted').client.stream(said, signal)) {
        events.push(event);
        if (event.type === 'text_delta') onText();
      }
      return { events, fault: undefined };
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      return { events, fault: error };
    }
  }

  test('are listed with their window, and answer in deltas, with their own count of tokens', async () => {
    assert.equal(models.connect('scripted').family.contextWindow, 12_345);
    answer = async (messages, _options, progress) => {
      assert.deepEqual(
        messages.map(({ role, content }) => [role, (content[0] as vscode.LanguageModelTextPart).value]),
        [
          [vscode.LanguageModelChatMessageRole.User, 'Be brief.'],
          [vscode.LanguageModelChatMessageRole.User, 'Hello'],
        ],
      );
      progress.report(says('Good '));
      progress.report(says('day.'));
    };
    const { events, fault } = await ask();
    assert.equal(fault, undefined);
    const texts = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
    assert.equal(texts.join(''), 'Good day.');
    const done = events.flatMap((event) => (event.type === 'item_done' ? [event.item] : []));
    assert.deepEqual(done, [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Good day.' }] },
    ]);
    const end = events.at(-1);
    assert(end?.type === 'completed' && end.usage);
    assert.equal(end.usage.output, 'Good day.'.length);
    assert(end.usage.input > 'Be brief.Hello'.length);
  });

  test('call tools, also free-text ones, and get the outputs', async () => {
    answer = async (_messages, { tools = [] }, progress) => {
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['apply_patch'],
      );
      progress.report(says('I edit.'));
      progress.report(new vscode.LanguageModelToolCallPart('call-1', 'apply_patch', { input: '*** Begin' }));
    };
    const first = await ask(prompt({ tools: [PATCH] }));
    const items = first.events.flatMap((event) => (event.type === 'item_done' ? [event.item] : []));
    assert.deepEqual(items.slice(1), [
      { type: 'custom_tool_call', call_id: 'call-1', name: 'apply_patch', input: '*** Begin' },
    ]);
    let seen: readonly vscode.LanguageModelChatRequestMessage[] = [];
    answer = async (messages, _options, progress) => {
      seen = messages;
      progress.report(says('Done.'));
    };
    const output = { type: 'custom_tool_call_output', call_id: 'call-1', output: 'ok' } as const;
    await ask(prompt({ tools: [PATCH], input: [...prompt().input, ...items, output] }));
    const [said, result] = seen.slice(-2);
    const [, call] = said?.content ?? [];
    assert(call instanceof vscode.LanguageModelToolCallPart);
    assert.deepEqual([call.callId, call.name, call.input], ['call-1', 'apply_patch', { input: '*** Begin' }]);
    const [part] = result?.content ?? [];
    assert(part instanceof vscode.LanguageModelToolResultPart);
    assert.equal(part.callId, 'call-1');
  });

  test('that fail in mid-stream give what was said and a fault worth a retry', async () => {
    let isHeard = () => {};
    const heard = new Promise<void>((resolve) => {
      isHeard = resolve;
    });
    answer = async (_messages, _options, progress) => {
      progress.report(says('Half a'));
      // VS Code passes parts on a little later; an error overtakes them.
      await heard;
      throw new Error('The service went away.');
    };
    const { events, fault } = await ask(prompt(), new AbortController().signal, isHeard);
    assert.equal(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join(''), 'Half a');
    assert.deepEqual([fault?.kind, fault?.retryable], ['bad_response', true]);
    assert.match(fault?.detail ?? '', /The service went away/);
  });

  test('whose quota is used up say so', async () => {
    answer = async () => {
      throw new Error('Quota exceeded for this month.');
    };
    assert.deepEqual([(await ask()).fault?.kind, (await ask()).fault?.retryable], ['quota', false]);
  });

  test('stop when the turn is interrupted', async () => {
    let isCancelled = false;
    answer = (_messages, _options, progress, token) =>
      new Promise((resolve) => {
        token.onCancellationRequested(() => {
          isCancelled = true;
          resolve();
        });
        progress.report(says('Endless'));
      });
    const controller = new AbortController();
    const reason = new Error('interrupted');
    await assert.rejects(async () => {
      for await (const event of models.connect('scripted').client.stream(prompt(), controller.signal)) {
        if (event.type === 'text_delta') controller.abort(reason);
      }
    }, reason);
    await eventually(() => isCancelled);
  });

  test('that the user does not allow are a fault with the way out', async () => {
    const chat = {
      id: 'guarded',
      maxInputTokens: 1,
      sendRequest: () => Promise.reject(vscode.LanguageModelError.NoPermissions('The user said no.')),
    } as unknown as vscode.LanguageModelChat;
    const guarded = new LanguageModels({ next: () => 'x' }, { selectChatModels: async () => [chat] });
    await assert.rejects(
      async () => {
        for await (const _event of guarded.connect('guarded').client.stream(prompt(), new AbortController().signal));
      },
      { name: 'ModelFault', kind: 'auth', retryable: false, detail: 'The user said no.', action: 'select_model' },
    );
  });

  test('of two vendors with the same id are distinguished by the vendor; the id alone is refused with both names', async () => {
    const asked: string[] = [];
    const chat = (vendor: string, maxInputTokens: number) =>
      ({
        id: 'same',
        vendor,
        maxInputTokens,
        sendRequest: async () => {
          asked.push(vendor);
          return { stream: (async function* () {})() };
        },
        countTokens: async () => 1,
      }) as unknown as vscode.LanguageModelChat;
    const both = new LanguageModels(
      { next: () => 'x' },
      { selectChatModels: async () => [chat('one', 100), chat('two', 200)] },
    );
    await both.list();
    assert.equal(both.connect('two/same').family.contextWindow, 200);
    for await (const _event of both.connect('two/same').client.stream(prompt(), new AbortController().signal));
    assert.deepEqual(asked, ['two']);
    await assert.rejects(
      async () => {
        for await (const _event of both.connect('same').client.stream(prompt(), new AbortController().signal));
      },
      {
        kind: 'model_not_found',
        message: 'Several extensions offer a model same: choose one/same or two/same.',
        action: 'select_model',
      },
    );
  });

  test('that are gone, and an editor without such models, are no noise', async () => {
    const none = new LanguageModels(
      { next: () => 'x' },
      { selectChatModels: () => Promise.reject(new Error('no API')) },
    );
    assert.deepEqual(await none.list(), []);
    await assert.rejects(
      async () => {
        for await (const _event of none.connect('gone').client.stream(prompt(), new AbortController().signal));
      },
      { name: 'ModelFault', kind: 'model_not_found', action: 'select_model' },
    );
  });
});
