/** The request of the Responses wire, field by field (codex-behaviour.md §2.1). */
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ToolSpec } from '../../protocol/toolSpec.ts';
import type { Prompt } from './client.ts';
import { capabilitiesOf, takesEverything, type Dialect, type ModelFamily } from './families.ts';
import type { Dispensable } from './fieldFallback.ts';
import { asFunctionTool, SHELL_FUNCTION } from './functionForm.ts';
import { RequestWriter, type RequestBody } from './requestBody.ts';
import { itemToWire, type ItemForm } from './responsesItems.ts';

type Request = RequestWriter<ResponseCreateParamsStreaming>;

/**
 * Builds the request bodies of one provider. The JSON of each item is built once: a long thread costs one join, and an
 * element is byte for byte what it was in the request before.
 */
export class ResponsesBodies {
  readonly #dialect: Dialect;
  readonly #refused: ReadonlySet<Dispensable>;
  #elements = new WeakMap<ResponseItem, string>();
  /** The input of the last request, which is nearly always the start of the next one. */
  #last: { readonly input: readonly ResponseItem[]; readonly json: string } = { input: [], json: '' };
  #form = '';

  constructor(dialect: Dialect, refused: ReadonlySet<Dispensable>) {
    this.#dialect = dialect;
    this.#refused = refused;
  }

  build(prompt: Prompt): RequestBody {
    const request = new RequestWriter<ResponseCreateParamsStreaming>(this.#refused);
    const family = capabilitiesOf(prompt.model, this.#dialect, 'responses');
    const everything = takesEverything(prompt.model, this.#dialect);

    request.add('model', prompt.model);
    request.add('instructions', prompt.instructions);
    request.addJson('input', `[${this.#elementsOf(prompt.input, everything, request)}]`);
    const tools = toolsToWire(prompt.tools, everything, request);
    if (tools.length > 0) {
      request.add('tools', tools);
      if (request.takes('tool_choice')) request.add('tool_choice', 'auto');
      if (request.takes('parallel_tool_calls')) {
        request.add('parallel_tool_calls', prompt.parallelToolCalls && family.parallelToolCalls);
      }
    }
    const reasoning = reasoningOf(prompt, family, request);
    if (reasoning) request.add('reasoning', reasoning);
    // OpenAI must not store anything, whatever the model; Azure requires it (seed 002).
    if (this.#dialect !== 'plain' && request.takes('store')) request.add('store', this.#dialect === 'azure');
    request.add('stream', true);
    if (everything && request.takes('include')) {
      request.add('include', reasoning ? ['reasoning.encrypted_content'] : []);
    }
    if (request.takes('prompt_cache_key')) request.add('prompt_cache_key', prompt.cacheKey);
    const text = textOptionsOf(prompt, family, request);
    if (text) request.add('text', text);
    return request.body();
  }

  #elementsOf(input: readonly ResponseItem[], everything: boolean, request: Request): string {
    if (everything && input.some((item) => item.type === 'custom_tool_call')) request.takes('custom_tools');
    if (everything && input.some((item) => item.type === 'local_shell_call')) request.takes('local_shell');
    if (input.some((item) => item.type === 'message' && item.role === 'developer')) request.takes('developer_role');
    const form: ItemForm = {
      dialect: this.#dialect,
      customTools: everything && !this.#refused.has('custom_tools'),
      localShell: everything && !this.#refused.has('local_shell'),
      developerRole: !this.#refused.has('developer_role'),
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
      json = JSON.stringify(itemToWire(item, form));
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

function toolsToWire(tools: readonly ToolSpec[], everything: boolean, request: Request): readonly ToolSpec[] {
  return tools.flatMap((tool): ToolSpec[] => {
    switch (tool.type) {
      case 'function':
        return [tool];
      case 'custom':
        return [everything && request.takes('custom_tools') ? tool : asFunctionTool(tool)];
      case 'local_shell':
        return [everything && request.takes('local_shell') ? tool : SHELL_FUNCTION];
      case 'web_search':
        return everything && request.takes('web_search') ? [tool] : [];
    }
  });
}

function reasoningOf({ effort, summary }: Prompt, { reasoning }: ModelFamily, request: Request) {
  if (!reasoning || !request.takes('reasoning')) return undefined;
  const summarises = reasoning.summaries && summary !== 'none';
  return {
    effort: request.takes('reasoning.effort') ? (effort ?? reasoning.defaultEffort) : undefined,
    summary: summarises && request.takes('reasoning.summary') ? summary : undefined,
  };
}

function textOptionsOf(prompt: Prompt, family: ModelFamily, request: Request) {
  const verbosity =
    family.verbosity !== null && request.takes('text.verbosity') ? (prompt.verbosity ?? family.verbosity) : undefined;
  const format = prompt.outputSchema && request.takes('text.format') ? outputFormat(prompt.outputSchema) : undefined;
  return verbosity || format ? { verbosity, format } : undefined;
}

/** The name that Codex uses, in case servers depend on it. */
function outputFormat(schema: Readonly<Record<string, unknown>>) {
  return { type: 'json_schema', name: 'codex_output_schema', strict: true, schema } as const;
}
