import * as vscode from 'vscode';
import { groupItems, type Group } from '../../core/model/chatMessages.ts';
import { type ModelClient, ModelFault, type Prompt, type ResponseEvent } from '../../core/model/client.ts';
import { UNKNOWN_FAMILY } from '../../core/model/families.ts';
import { isLeftOut } from '../../core/model/foreignItems.ts';
import { asOffered, customToolNames, functionCallOf, functionFormOf } from '../../core/model/functionForm.ts';
import type { ConnectedModel, ModelClientFactory } from '../../core/model/modelClientFactory.ts';
import type { Ids } from '../../core/ports.ts';
import { abortable } from '../../core/util/abort.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { parseJson } from '../../core/util/json.ts';
import type { TokenUsage } from '../../protocol/event.ts';
import { VSCODE_PROVIDER } from '../../protocol/knownProviders.ts';
import { callIdOf, textOf, type ToolCallItem } from '../../protocol/responseItem.ts';
import type { FunctionToolSpec, ToolSpec } from '../../protocol/toolSpec.ts';

/** The part of `vscode.lm` that is used; absent in programs that are made from VS Code without it. */
type LanguageModelApi = Pick<typeof vscode.lm, 'selectChatModels'>;

/**
 * Models that other extensions offer to extensions. VS Code asks the user for consent with the first request. They take no
 * images here, no reasoning effort and no system message: the instructions are the first message of the user.
 */
export class LanguageModels implements ModelClientFactory {
  readonly id = VSCODE_PROVIDER;
  readonly defaultModel = null;
  readonly #ids: Pick<Ids, 'next'>;
  readonly #lm: LanguageModelApi | undefined;
  /** As they were last listed. */
  #known: readonly vscode.LanguageModelChat[] = [];

  constructor(ids: Pick<Ids, 'next'>, lm: LanguageModelApi | undefined = vscode.lm) {
    this.#ids = ids;
    this.#lm = lm;
  }

  /** Empty where no extension offers any. Never rejects. */
  async list(): Promise<readonly vscode.LanguageModelChat[]> {
    try {
      this.#known = (await this.#lm?.selectChatModels()) ?? [];
      return this.#known;
    } catch {
      return [];
    }
  }

  connect(model: string): ConnectedModel {
    const [known, other] = modelsNamed(model, this.#known);
    const contextWindow = other === undefined ? (known?.maxInputTokens ?? null) : null;
    const family = { ...UNKNOWN_FAMILY, id: 'vscode', reasoning: null, images: false, contextWindow };
    return { client: this.#clientOf(model), family, prices: null };
  }

  #clientOf(model: string): ModelClient {
    const find = async () => {
      const [found, other] = modelsNamed(model, await this.list());
      if (found === undefined) throw notOffered(model);
      if (other !== undefined) throw ambiguous(model, found, other);
      return found;
    };
    const ids = this.#ids;
    return {
      async *stream(prompt, signal) {
        const chat = await abortable(find(), signal);
        const cancel = new vscode.CancellationTokenSource();
        const stop = () => cancel.cancel();
        signal.addEventListener('abort', stop, { once: true });
        try {
          signal.throwIfAborted();
          yield* eventsOf(chat, prompt, ids, cancel.token, signal);
        } catch (error) {
          signal.throwIfAborted();
          throw faultOf(error);
        } finally {
          signal.removeEventListener('abort', stop);
          // Called also when the caller leaves the loop early.
          cancel.cancel();
          cancel.dispose();
        }
      },
    };
  }
}

/** The name by which Tiller knows a model: two vendors may have models with the same id. */
export function nameOfLanguageModel({ vendor, id }: Pick<vscode.LanguageModelChat, 'vendor' | 'id'>): string {
  return `${vendor}/${id}`;
}

/** Models with this name; without its vendor the name may be that of several. */
function modelsNamed(name: string, models: readonly vscode.LanguageModelChat[]): readonly vscode.LanguageModelChat[] {
  const named = models.find((model) => nameOfLanguageModel(model) === name);
  return named === undefined ? models.filter(({ id }) => id === name) : [named];
}

async function* eventsOf(
  chat: vscode.LanguageModelChat,
  prompt: Prompt,
  ids: Pick<Ids, 'next'>,
  token: vscode.CancellationToken,
  signal: AbortSignal,
): AsyncGenerator<ResponseEvent, void, undefined> {
  const messages = messagesOf(prompt);
  const tools = prompt.tools.flatMap(toolOf);
  const justification = vscode.l10n.t('Tiller sends your messages and what its tools return to this model.');
  const options = { justification, ...(tools.length > 0 ? { tools } : {}) };
  const response = await abortable(Promise.resolve(chat.sendRequest(messages, options, token)), signal);
  yield { type: 'created' };
  const customTools = customToolNames(prompt.tools);
  let answer = '';
  let text: { readonly key: string; words: string } | undefined;
  let count = 0;
  function* endOfText(): Generator<ResponseEvent> {
    if (text === undefined) return;
    const content = [{ type: 'output_text' as const, text: text.words }];
    yield { type: 'item_done', key: text.key, item: { type: 'message', role: 'assistant', content } };
    text = undefined;
  }
  const parts = response.stream[Symbol.asyncIterator]();
  while (true) {
    const next = await abortable(parts.next(), signal);
    if (next.done) break;
    const part: unknown = next.value;
    if (part instanceof vscode.LanguageModelTextPart && part.value !== '') {
      if (text === undefined) {
        text = { key: `text_${count++}`, words: '' };
        yield { type: 'item_started', key: text.key, kind: 'message' };
      }
      text.words += part.value;
      answer += part.value;
      yield { type: 'text_delta', key: text.key, text: part.value };
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      yield* endOfText();
      const key = `call_${count++}`;
      const args = JSON.stringify(part.input);
      answer += part.name + args;
      yield { type: 'item_started', key, kind: 'tool_call', name: part.name };
      yield { type: 'call_delta', key, name: part.name, kind: 'arguments', text: args };
      const call_id = part.callId || ids.next('call');
      const call = { type: 'function_call', call_id, name: part.name, arguments: args } as const;
      yield { type: 'item_done', key, item: asOffered(call, customTools) };
    }
  }
  yield* endOfText();
  yield { type: 'completed', usage: await abortable(usageOf(chat, prompt, answer, token), signal), endTurn: true };
}

/** Resolves to the tokens as the model counts them; `null` when it cannot. */
async function usageOf(
  chat: vscode.LanguageModelChat,
  prompt: Prompt,
  answer: string,
  token: vscode.CancellationToken,
): Promise<TokenUsage | null> {
  try {
    const [input, output] = await Promise.all([
      chat.countTokens(JSON.stringify([prompt.instructions, prompt.tools, prompt.input]), token),
      chat.countTokens(answer, token),
    ]);
    return { input, cachedInput: 0, output, reasoning: 0, total: input + output };
  } catch {
    return null;
  }
}

function messagesOf({ instructions, input, origin }: Prompt): vscode.LanguageModelChatMessage[] {
  const items = input.filter((item) => !isLeftOut(item, origin));
  return [vscode.LanguageModelChatMessage.User(instructions), ...groupItems(items).flatMap(groupToChat)];
}

function groupToChat(group: Group): vscode.LanguageModelChatMessage[] {
  switch (group.type) {
    case 'messages':
      return group.items.map(({ content }) => vscode.LanguageModelChatMessage.User(textOf(content)));
    case 'outputs':
      return [
        vscode.LanguageModelChatMessage.User(
          group.items.map(
            ({ call_id, output }) =>
              new vscode.LanguageModelToolResultPart(call_id, [new vscode.LanguageModelTextPart(textOf(output))]),
          ),
        ),
      ];
    case 'assistant': {
      const parts = group.items.flatMap((item): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] => {
        if (item.type === 'reasoning') return [];
        if (item.type !== 'message') return [callPart(item)];
        const message = textOf(item.content);
        return message === '' ? [] : [new vscode.LanguageModelTextPart(message)];
      });
      return parts.length === 0 ? [] : [vscode.LanguageModelChatMessage.Assistant(parts)];
    }
    default:
      return assertNever(group);
  }
}

function callPart(item: ToolCallItem): vscode.LanguageModelToolCallPart {
  const id = callIdOf(item) ?? '';
  const { name, arguments: text } = functionCallOf(item);
  const input = parseJson(text);
  // A call whose arguments were no JSON has its error in the output.
  return new vscode.LanguageModelToolCallPart(id, name, typeof input === 'object' && input !== null ? input : {});
}

function toolOf(tool: ToolSpec): vscode.LanguageModelChatTool[] {
  const form = functionFormOf(tool, 'shell');
  return form === undefined ? [] : [asTool(form)];
}

function asTool({ name, description, parameters }: FunctionToolSpec): vscode.LanguageModelChatTool {
  return { name, description, inputSchema: parameters };
}

function ambiguous(model: string, ...offered: readonly vscode.LanguageModelChat[]): ModelFault {
  const message = `Several extensions offer a model ${model}: choose ${offered.map(nameOfLanguageModel).join(' or ')}.`;
  return new ModelFault('model_not_found', message, { retryable: false, action: 'select_model' });
}

function notOffered(model: string): ModelFault {
  const message = `No extension offers the model ${model} any more.`;
  return new ModelFault('model_not_found', message, { retryable: false, action: 'select_model' });
}

/** The codes are those of `LanguageModelError`; a provider’s own error may be its cause. */
function faultOf(error: unknown): ModelFault {
  if (error instanceof ModelFault) return error;
  const detail = messageOf(error);
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  if (code === 'NoPermissions') {
    const message =
      'Tiller was not allowed to use this model. Send a message to be asked again, or choose another model.';
    return new ModelFault('auth', message, { retryable: false, detail, action: 'select_model' });
  }
  if (code === 'NotFound') {
    return new ModelFault('model_not_found', 'The model is not offered any more.', {
      retryable: false,
      detail,
      action: 'select_model',
    });
  }
  if (code === 'Blocked' || /quota|rate.?limit|too many requests/i.test(detail)) {
    const message = 'The quota of this model is used up.';
    return new ModelFault('quota', message, { retryable: false, detail, action: 'select_model' });
  }
  const message = 'The extension that offers the model reported an error.';
  return new ModelFault('bad_response', message, { retryable: true, detail, action: 'retry' });
}
