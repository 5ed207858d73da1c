/** The request of the Responses wire, field by field (codex-behaviour.md §2.1). */
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ToolSpec } from '../../protocol/toolSpec.ts';
import type { Prompt } from './client.ts';
import { abilitiesOf, type ModelAbilities, type ServerFacts } from './abilities.ts';
import { effortFor, isComplete, type Dialect, type ModelFamily } from './families.ts';
import type { RefusedFields } from './fieldFallback.ts';
import { asFunctionTool, asShellFunction } from './functionForm.ts';
import { dialectOf } from './providerConfig.ts';
import { RequestWriter, type RequestBody } from './requestBody.ts';
import { itemsToWire, type ItemForm } from './responsesItems.ts';
import { hasToolImages } from './toolImages.ts';

type Request = RequestWriter<ResponseCreateParamsStreaming>;

/**
 * Builds the request bodies of one provider. The JSON of each item is built once: a long thread costs one join, and an
 * element is byte for byte what it was in the request before.
 */
export class ResponsesBodies {
  readonly #server: ServerFacts;
  readonly #dialect: Dialect;
  readonly #refused: RefusedFields;
  #elements = new WeakMap<ResponseItem, string>();
  /** The input of the last request, which is nearly always the start of the next one. */
  #last: { readonly input: readonly ResponseItem[]; readonly json: string } = { input: [], json: '' };
  #form = '';

  constructor(server: ServerFacts, refused: RefusedFields) {
    this.#server = server;
    this.#dialect = dialectOf(server);
    this.#refused = refused;
  }

  build(prompt: Prompt): RequestBody {
    const request = new RequestWriter<ResponseCreateParamsStreaming>(this.#refused.of(prompt.model));
    const abilities = abilitiesOf(this.#server, 'responses', prompt.model);
    const { family, everything, store } = abilities;

    request.add('model', prompt.model);
    request.add('instructions', prompt.instructions);
    request.addJson('input', `[${this.#elementsOf(prompt, abilities, request)}]`);
    const tools = toolsToWire(prompt.tools, abilities, request);
    if (tools.length > 0) {
      request.add('tools', tools);
      if (request.takes('tool_choice')) request.add('tool_choice', 'auto');
      if (request.takes('parallel_tool_calls')) {
        request.add('parallel_tool_calls', prompt.parallelToolCalls && family.parallelToolCalls);
      }
    }
    const reasoning = reasoningOf(prompt, family, request);
    if (reasoning) request.add('reasoning', reasoning);
    if (store !== undefined && request.takes('store')) request.add('store', store);
    request.add('stream', true);
    if (everything && request.takes('include')) {
      request.add('include', reasoning ? ['reasoning.encrypted_content'] : []);
    }
    if (request.takes('prompt_cache_key')) request.add('prompt_cache_key', prompt.cacheKey);
    const text = textOptionsOf(prompt, family, request);
    if (text) request.add('text', text);
    return request.body();
  }

  #elementsOf({ model, input, origin }: Prompt, abilities: ModelAbilities, request: Request): string {
    const { custom, localShell } = specialTools(abilities);
    if (custom && input.some((item) => item.type === 'custom_tool_call')) request.takes('custom_tools');
    if (localShell && input.some((item) => item.type === 'local_shell_call')) request.takes('local_shell');
    if (input.some((item) => item.type === 'message' && item.role === 'developer')) request.takes('developer_role');
    const { toolImages = 'output' } = this.#server;
    const isRefused = toolImages === 'output' && input.some(hasToolImages) && !request.takes('tool_images');
    const refused = this.#refused.of(model);
    const form: ItemForm = {
      origin,
      keepsIds: abilities.store === true && isComplete(this.#dialect),
      keepsReasoningIds: this.#dialect !== 'openai' || abilities.store === true,
      customTools: custom && !refused.has('custom_tools'),
      localShell: localShell && !refused.has('local_shell'),
      developerRole: !refused.has('developer_role'),
      toolImages: isRefused ? 'message' : toolImages,
    };
    this.#forgetWhenChanged(form);
    const continues = this.#last.input.every((item, index) => item === input[index]);
    const known = continues ? this.#last : { input: [], json: '' };
    const added = input.slice(known.input.length).map((item) => this.#elementOf(item, form));
    const json = [known.json, ...added].filter(Boolean).join(',');
    this.#last = { input: [...input], json };
    return json;
  }

  #elementOf(item: ResponseItem, form: ItemForm): string {
    let json = this.#elements.get(item);
    if (json === undefined) {
      json = itemsToWire(item, form)
        .map((each) => JSON.stringify(each))
        .join(',');
      this.#elements.set(item, json);
    }
    return json;
  }

  /** The form of items changes only after a refusal or with another model. */
  #forgetWhenChanged(form: ItemForm): void {
    const key = JSON.stringify(form);
    if (key === this.#form) return;
    this.#form = key;
    this.#elements = new WeakMap();
    this.#last = { input: [], json: '' };
  }
}

/** The kinds of tools, other than functions, that may be sent. */
function specialTools({ everything, family, shellFunction }: ModelAbilities) {
  return {
    custom: everything || family.applyPatch === 'freeform',
    localShell: shellFunction === undefined && (everything || family.shell === 'local_shell'),
  };
}

function toolsToWire(tools: readonly ToolSpec[], abilities: ModelAbilities, request: Request): readonly ToolSpec[] {
  if (tools.length === 0 || !request.takes('tools')) return [];
  const { custom, localShell } = specialTools(abilities);
  return tools.flatMap((tool): ToolSpec[] => {
    switch (tool.type) {
      case 'function':
        return [tool];
      case 'custom':
        return [custom && request.takes('custom_tools') ? tool : asFunctionTool(tool)];
      case 'local_shell':
        return [localShell && request.takes('local_shell') ? tool : asShellFunction(abilities.shellFunction)];
      case 'web_search':
        return abilities.everything && request.takes('web_search') ? [tool] : [];
    }
  });
}

function reasoningOf({ effort: chosen, summary }: Prompt, { reasoning }: ModelFamily, request: Request) {
  if (!reasoning) return undefined;
  const effort = effortFor(reasoning, chosen);
  const summarizes = reasoning.summaries && summary !== 'none';
  const sent = {
    effort: effort !== null && request.mayTake('reasoning.effort') ? effort : undefined,
    summary: summarizes && request.mayTake('reasoning.summary') ? summary : undefined,
  };
  if ((sent.effort === undefined && sent.summary === undefined) || !request.takes('reasoning')) return undefined;
  if (sent.effort !== undefined) request.takes('reasoning.effort');
  if (sent.summary !== undefined) request.takes('reasoning.summary');
  return sent;
}

function textOptionsOf(prompt: Prompt, family: ModelFamily, request: Request) {
  const chosen = family.verbosity && (prompt.verbosity ?? family.verbosity.default);
  const verbosity = chosen && request.takes('text.verbosity') ? chosen : undefined;
  const format = prompt.outputSchema && request.takes('text.format') ? outputFormat(prompt.outputSchema) : undefined;
  return verbosity || format ? { verbosity, format } : undefined;
}

/** The name that Codex uses, in case servers depend on it. */
function outputFormat(schema: Readonly<Record<string, unknown>>) {
  return { type: 'json_schema', name: 'codex_output_schema', strict: true, schema } as const;
}
