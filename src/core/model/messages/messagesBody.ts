/** The request of the Messages wire, field by field (platform.claude.com/docs/en/api/messages/create). */
import type { ResponseItem } from '../../../protocol/responseItem.ts';
import type { ToolSpec } from '../../../protocol/toolSpec.ts';
import { abilitiesOf, type ModelAbilities, type ReportedModel, type ServerFacts } from '../abilities.ts';
import type { Prompt } from '../client.ts';
import { effortFor } from '../families.ts';
import type { RefusedFields } from '../fieldFallback.ts';
import { functionFormOf } from '../functionForm.ts';
import { RequestWriter, type RequestBody } from '../requestBody.ts';
import { hasToolImages } from '../toolImages.ts';
import {
  blocksOf,
  continuesWithoutThinking,
  hasThinking,
  messagesOf,
  type BlockForm,
  type ItemBlocks,
  type JsonMessage,
} from './messagesBlocks.ts';
import type { MessagesParams, MessagesTool, TextBlock, Thinking } from './messagesRequest.ts';

type Request = RequestWriter<MessagesParams>;

/** The longest answer that is asked for where the model's own limit is unknown, or was refused. */
const UNKNOWN_OUTPUT = 32_000;
const REFUSED_OUTPUT = 4096;
/**
 * The longest answer of a model with a small window: it counts as if it were written, and a request is refused when it
 * does not fit behind the conversation (github.com/anthropics/claude-code/issues/4951).
 */
const SMALL_WINDOW = 200_000;
const OUTPUT_IN_SMALL_WINDOW = 32_000;

/** Tokens of reasoning for each effort, where a model knows only a budget; below half of the answer. */
const BUDGETS = { minimal: 1024, low: 4096, medium: 10_000, high: 20_000, xhigh: 32_000, max: 64_000 } as const;
const LEAST_BUDGET = 1024;

const CACHE = { cache_control: { type: 'ephemeral' } } as const;
const CACHE_JSON = `,${JSON.stringify(CACHE).slice(1)}`;
/** Ends of the conversation that are marked: that of this request, and that of the one before. */
const MARKED_ENDS = 2;

/**
 * Builds the request bodies of one provider. The JSON of an item's blocks is built once: in the next request it is byte
 * for byte what it was. Only the marks of the cache move, which are no part of what the server compares.
 */
export class MessagesBodies {
  readonly #server: ServerFacts;
  readonly #refused: RefusedFields;
  readonly #reported: (model: string) => ReportedModel | undefined;
  #blocks = new WeakMap<ResponseItem, ItemBlocks>();
  #form = '';
  /** Reasoning that the server has refused behind the conversation as it is now. */
  readonly #unusable = new WeakSet<ResponseItem>();

  constructor(
    server: ServerFacts,
    refused: RefusedFields,
    reported: (model: string) => ReportedModel | undefined = () => undefined,
  ) {
    this.#server = server;
    this.#refused = refused;
    this.#reported = reported;
  }

  build(prompt: Prompt): RequestBody {
    const { model, instructions } = prompt;
    const request: Request = new RequestWriter<MessagesParams>(this.#refused.of(model));
    const abilities = abilitiesOf(this.#server, 'messages', model, this.#reported(model));
    const input = prompt.input.filter((item) => !this.#unusable.has(item));
    const isRefused = input.some(hasToolImages) && !request.mayTake('tool_images');
    const form: BlockForm = {
      origin: prompt.origin,
      thinking: abilities.family.reasoning?.thinking ? 'signed' : 'all',
      toolImages: isRefused ? 'message' : (this.#server.toolImages ?? 'output'),
    };
    const maxTokens = request.mayTake('max_tokens') ? maxTokensOf(abilities) : REFUSED_OUTPUT;
    const thinking = thinkingOf(prompt, abilities, request, maxTokens, () => continuesWithoutThinking(input, form));
    const isThinking = thinking !== undefined && thinking.type !== 'disabled';
    const isUnknown = abilities.family.reasoning !== null && abilities.family.reasoning.thinking === undefined;
    const sendsThinking = isThinking || isUnknown;
    const marks = request.takes('cache_control');

    request.add('model', model);
    request.takes('max_tokens');
    request.add('max_tokens', maxTokens);
    const system = systemOf(instructions, marks);
    const tools = toolsOf(prompt.tools, abilities, request, marks && system.length === 0);
    if (tools.length > 0) {
      request.add('tools', tools);
      const isParallel = prompt.parallelToolCalls && abilities.family.parallelToolCalls;
      if (!isParallel && request.takes('parallel_tool_calls')) {
        request.add('tool_choice', { type: 'auto', disable_parallel_tool_use: true });
      }
    }
    if (system.length > 0) request.add('system', system);
    if (sendsThinking && hasThinking(input, form.origin)) request.takes('reasoning_history');
    const messages = this.#messagesOf(input, sendsThinking ? form : { ...form, thinking: 'none' });
    if (input.some(hasToolImages)) request.takes('tool_images');
    request.addJson('messages', `[${messagesJson(messages, marks)}]`);
    if (thinking) {
      request.takes('thinking');
      request.add('thinking', thinking);
    }
    const config = outputConfigOf(prompt, abilities, request);
    if (config) request.add('output_config', config);
    request.add('stream', true);
    return request.body();
  }

  /** Leaves the reasoning of this conversation out of all further requests; that of later responses is sent. */
  leaveOutThinking({ input }: Prompt): void {
    for (const item of input) if (item.type === 'reasoning') this.#unusable.add(item);
  }

  #messagesOf(input: readonly ResponseItem[], form: BlockForm): readonly JsonMessage[] {
    const key = JSON.stringify(form);
    if (key !== this.#form) this.#blocks = new WeakMap();
    this.#form = key;
    return messagesOf(input, (item) => {
      const known = this.#blocks.get(item);
      if (known) return known;
      const blocks = blocksOf(item, form);
      this.#blocks.set(item, blocks);
      return blocks;
    });
  }
}

function messagesJson(messages: readonly JsonMessage[], marks: boolean): string {
  const users = messages.filter(({ role }) => role === 'user');
  const marked = new Set(marks ? users.slice(-MARKED_ENDS) : []);
  return messages
    .map((message) => {
      const blocks = marked.has(message) ? markedAtEnd(message.blocks) : message.blocks;
      return `{"role":"${message.role}","content":[${blocks.join(',')}]}`;
    })
    .join(',');
}

function markedAtEnd(blocks: readonly string[]): readonly string[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? `${block.slice(0, -1)}${CACHE_JSON}` : block));
}

/** The mark on the last one covers the tools, too: they come first in what the server compares. */
function systemOf(instructions: string, marks: boolean): readonly TextBlock[] {
  if (instructions.trim() === '') return [];
  return [{ type: 'text', text: instructions, ...(marks && CACHE) }];
}

function maxTokensOf({ family: { maxOutput, contextWindow }, sources }: ModelAbilities): number {
  if (maxOutput === null) return UNKNOWN_OUTPUT;
  const isSmall = contextWindow !== null && contextWindow <= SMALL_WINDOW && sources.maxOutput !== 'settings';
  return isSmall ? Math.min(maxOutput, OUTPUT_IN_SMALL_WINDOW) : maxOutput;
}

/** Lets known models reason as they do by themselves where no effort is chosen, others not at all. */
function thinkingOf(
  { effort: chosen }: Prompt,
  { family: { reasoning } }: ModelAbilities,
  request: Request,
  maxTokens: number,
  cannotBegin: () => boolean,
): Thinking | undefined {
  if (!reasoning || !request.mayTake('thinking')) return undefined;
  const effort = effortFor(reasoning, chosen);
  switch (reasoning.thinking ?? 'budget') {
    case 'always':
      return { type: 'adaptive', display: 'summarized' };
    case 'between_tools':
      return effort === 'none' ? { type: 'between_tools' } : { type: 'adaptive', display: 'summarized' };
    case 'adaptive':
      return effort === 'none' ? { type: 'disabled' } : { type: 'adaptive', display: 'summarized' };
    case 'budget': {
      if (effort === null || effort === 'none' || cannotBegin()) return undefined;
      const budget = Math.min(BUDGETS[effort], Math.floor(maxTokens / 2));
      return budget < LEAST_BUDGET ? undefined : { type: 'enabled', budget_tokens: budget };
    }
  }
}

/** The effort of models that have no budget, and the schema of the answer. */
function outputConfigOf({ effort: chosen, outputSchema }: Prompt, { family }: ModelAbilities, request: Request) {
  const { reasoning } = family;
  const effort = reasoning?.thinking && reasoning.thinking !== 'budget' ? effortFor(reasoning, chosen) : null;
  const isSent = effort !== null && effort !== 'none' && request.takes('reasoning.effort');
  const format =
    outputSchema && request.takes('text.format') ? { type: 'json_schema' as const, schema: outputSchema } : undefined;
  return isSent || format ? { effort: isSent ? effort : undefined, format } : undefined;
}

function toolsOf(
  specs: readonly ToolSpec[],
  abilities: ModelAbilities,
  request: Request,
  isMarked: boolean,
): readonly MessagesTool[] {
  const functions = specs.flatMap((tool) => functionFormOf(tool, abilities.shellFunction) ?? []);
  if (functions.length === 0 || !request.takes('tools')) return [];
  return functions.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: schemaOf(parameters),
    ...(isMarked && index === functions.length - 1 && CACHE),
  }));
}

/** “input_schema does not support oneOf, allOf, or anyOf at the top level” (Anthropic, HTTP 400). */
function schemaOf(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { oneOf: _oneOf, allOf: _allOf, anyOf: _anyOf, ...schema } = parameters;
  return { ...schema, type: 'object' };
}
