/** The request of the Chat Completions wire (codex-behaviour.md §2.5). */
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { callIdOf, isToolCall, isToolCallOutput, type ResponseItem } from '../../protocol/responseItem.ts';
import type { FunctionToolSpec, ToolSpec } from '../../protocol/toolSpec.ts';
import { groupItems, messagesOf, type ChatForm, type Group } from './chatMessages.ts';
import { abilitiesOf, type ModelAbilities, type ServerFacts } from './abilities.ts';
import type { Prompt } from './client.ts';
import { effortFor, type ModelFamily } from './families.ts';
import { isLeftOut } from './foreignItems.ts';
import type { RefusedFields } from './fieldFallback.ts';
import { functionFormOf } from './functionForm.ts';
import { dialectOf } from './providerConfig.ts';
import { RequestWriter, type RequestBody } from './requestBody.ts';

/** `reasoning` is OpenRouter's field. */
type ChatRequest = ChatCompletionCreateParamsStreaming & { readonly reasoning?: { readonly effort: string } };

/** Builds the request bodies of one provider; the JSON of a group's messages is built once and cached. */
export class ChatBodies {
  readonly #server: ServerFacts;
  readonly #refused: RefusedFields;
  /** Keyed by the last item of the group: a group that has grown is another message. */
  #elements = new WeakMap<
    ResponseItem,
    { readonly first: ResponseItem; readonly count: number; readonly json: string }
  >();
  /** The settled start of the last input: these items give the same messages, whatever follows. */
  #settled: { readonly input: readonly ResponseItem[]; readonly elements: readonly string[] } = NOTHING_SETTLED;
  #form: ChatForm = {
    origin: undefined,
    developerRole: true,
    reasoning: true,
    toolImages: 'message',
    strictOrder: false,
  };

  constructor(server: ServerFacts, refused: RefusedFields) {
    this.#server = server;
    this.#refused = refused;
  }

  build(prompt: Prompt): RequestBody {
    const request = new RequestWriter<ChatRequest>(this.#refused.of(prompt.model));
    const abilities = abilitiesOf(this.#server, 'chat', prompt.model);
    const hasDeveloper = prompt.input.some((item) => item.type === 'message' && item.role === 'developer');
    const hasReasoning = prompt.input.some(
      (item) => item.type === 'reasoning' && (item.content?.length || item.chat_details?.length),
    );
    const strictOrder = !request.takes('message_order');
    this.#speak({
      origin: prompt.origin,
      developerRole: !strictOrder && (!hasDeveloper || request.takes('developer_role')),
      reasoning: !hasReasoning || request.takes('reasoning_history'),
      toolImages: this.#server.toolImages ?? 'message',
      strictOrder,
    });

    request.add('model', prompt.model);
    const system = JSON.stringify({ role: 'system', content: prompt.instructions });
    request.addJson(
      'messages',
      `[${[system, ...this.#elementsOf(prompt.input.filter((item) => !isLeftOut(item, prompt.origin)))].join(',')}]`,
    );
    const tools = prompt.tools.flatMap((tool) => toolToWire(tool, abilities));
    const hasTools = tools.length > 0 && request.takes('tools');
    if (hasTools) {
      request.add('tools', tools);
      // Most servers have parallel calls by default, and not all know the field.
      const { family, sources } = abilities;
      if (sources.parallelToolCalls === 'settings' && request.takes('parallel_tool_calls')) {
        request.add('parallel_tool_calls', family.parallelToolCalls);
      }
    }
    this.#addReasoning(prompt, abilities, request, hasTools);
    request.add('stream', true);
    if (request.takes('stream_options')) request.add('stream_options', { include_usage: true });
    if (prompt.outputSchema && request.takes('text.format')) {
      const json_schema = { name: 'codex_output_schema', strict: true, schema: prompt.outputSchema };
      request.add('response_format', { type: 'json_schema', json_schema });
    }
    return request.body();
  }

  /** Reasoning, verbosity and storage, each only where it was chosen or the server is known to take it. */
  #addReasoning(
    prompt: Prompt,
    { family, store }: ModelAbilities,
    request: RequestWriter<ChatRequest>,
    hasTools: boolean,
  ): void {
    const effort = this.#effortOf(prompt, family, request, hasTools);
    if (effort && dialectOf(this.#server) === 'openrouter') request.add('reasoning', { effort });
    else if (effort) request.add('reasoning_effort', effort);
    const verbosity = family.verbosity && (prompt.verbosity ?? family.verbosity.default);
    if (verbosity && request.takes('text.verbosity')) request.add('verbosity', verbosity);
    if (store !== undefined && request.takes('store')) request.add('store', store);
  }

  #effortOf({ effort }: Prompt, { reasoning }: ModelFamily, request: RequestWriter<ChatRequest>, hasTools: boolean) {
    if (hasTools && !request.takes('reasoning_beside_tools')) return 'none';
    const chosen = reasoning && effortFor(reasoning, effort);
    return chosen && request.takes('reasoning.effort') ? chosen : undefined;
  }

  #elementsOf(input: readonly ResponseItem[]): readonly string[] {
    const continues = this.#settled.input.every((item, index) => item === input[index]);
    const known = continues ? this.#settled : NOTHING_SETTLED;
    // In the strict order a message may join the one before.
    const length = this.#form.strictOrder ? 0 : settledLength(input, known.input.length);
    const settled = [...known.elements, ...this.#toElements(input.slice(known.input.length, length))];
    this.#settled = { input: input.slice(0, length), elements: settled };
    return [...settled, ...this.#toElements(input.slice(length))];
  }

  #toElements(items: readonly ResponseItem[]): readonly string[] {
    return groupItems(items, this.#form.strictOrder).flatMap((group) => {
      const [first, last, count] = extentOf(group);
      const known = this.#elements.get(last);
      if (known && known.first === first && known.count === count) return known.json === '' ? [] : [known.json];
      const json = messagesOf(group, this.#form)
        .map((message) => JSON.stringify(message))
        .join(',');
      this.#elements.set(last, { first, count, json });
      return json === '' ? [] : [json];
    });
  }

  #speak(form: ChatForm): void {
    if (JSON.stringify(form) === JSON.stringify(this.#form)) return;
    this.#form = form;
    this.#elements = new WeakMap();
    this.#settled = NOTHING_SETTLED;
  }
}

const NOTHING_SETTLED = { input: [], elements: [] };

/**
 * The number of items before the last user or developer message at which no call was open; at least `from`, which must
 * be such a position.
 */
function settledLength(input: readonly ResponseItem[], from: number): number {
  const owed = new Set<string>();
  let length = from;
  for (let index = from; index < input.length; index += 1) {
    const item = input[index] as ResponseItem;
    if (isToolCall(item)) owed.add(callIdOf(item) ?? '');
    else if (isToolCallOutput(item)) owed.delete(item.call_id);
    else if (owed.size === 0 && item.type === 'message' && item.role !== 'assistant') length = index;
  }
  return length;
}

function extentOf({ items }: Group): readonly [first: ResponseItem, last: ResponseItem, count: number] {
  return [items[0] as ResponseItem, items.at(-1) as ResponseItem, items.length];
}

/** Keeps functions and tools that can be expressed as functions. */
function toolToWire(
  tool: ToolSpec,
  abilities: ModelAbilities,
): { type: 'function'; function: Omit<FunctionToolSpec, 'type'> }[] {
  const spec = functionFormOf(tool, abilities.shellFunction);
  if (!spec) return [];
  const { name, description, parameters, strict } = spec;
  return [{ type: 'function', function: { name, description, parameters, strict } }];
}
