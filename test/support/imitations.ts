/**
 * Imitations of the servers that Tiller names: the requests that they refuse and the texts of their errors, what they
 * report about their models, and the form of their chunks. Each fact is followed or preceded by its source.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Imitation, Refusal } from './imitation.ts';
import type { ModelRequest } from './modelRequest.ts';

/** The key that all imitations accept. */
export const IMITATED_KEY = 'sk-test';

type Rule = (request: ModelRequest) => Refusal | undefined;

/** Returns a rule that applies the first of the rules that refuses the request. */
function anyOf(...rules: readonly Rule[]): Rule {
  return (request) => {
    for (const rule of rules) {
      const refusal = rule(request);
      if (refusal) return refusal;
    }
    return undefined;
  };
}

function unlessModel(model: string, refusal: (name: string, request: ModelRequest) => Refusal): Rule {
  return (request) => (request.body['model'] === model ? undefined : refusal(String(request.body['model']), request));
}

const bearerIs = (headers: IncomingHttpHeaders) => headers.authorization === `Bearer ${IMITATED_KEY}`;

const toolTypes = ({ body }: ModelRequest) =>
  ((body['tools'] ?? []) as readonly { readonly type: string }[]).map(({ type }) => type);

const roles = ({ input }: ModelRequest) => input.map(({ role }) => String(role));

const openAiError = (message: string, code: string | null, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});

const listed = (id: string, more: object = {}) => ({ id, object: 'model', created: 1_700_000_000, ...more });
const list = (...data: readonly object[]) => ({ object: 'list', data });

const OPENAI: Imitation = {
  name: 'OpenAI',
  wires: ['responses', 'chat'],
  model: 'gpt-5.5',
  provider: { dialect: 'openai' },
  routes: { '/v1/models': list(listed('gpt-5.5', { owned_by: 'system' }), listed('gpt-4.1', { owned_by: 'system' })) },
  // platform.openai.com/docs/guides/error-codes
  denies: (headers) =>
    bearerIs(headers)
      ? undefined
      : {
          status: 401,
          body: openAiError(
            'Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.',
            'invalid_api_key',
          ),
        },
  refuses: anyOf(
    // Responses: 400 with this text; Chat: 404, github.com/Aider-AI/aider/issues/2030
    ({ wire, body }) => {
      const name = String(body['model']);
      if (name === 'gpt-5.5' || name === 'gpt-5.6') return undefined;
      return wire === 'responses'
        ? {
            status: 400,
            body: openAiError(`The requested model '${name}' does not exist.`, 'model_not_found', 'model'),
          }
        : {
            status: 404,
            body: openAiError(
              `The model \`${name}\` does not exist or you do not have access to it.`,
              'model_not_found',
            ),
          };
    },
    // github.com/can1357/oh-my-pi/issues/11052; 5.6 also without an effort: github.com/BerriAI/litellm/pull/34569
    ({ wire, body }) => {
      const { model, reasoning_effort: effort } = body;
      const reasons = model === 'gpt-5.6' ? effort !== 'none' : effort !== undefined && effort !== 'none';
      if (wire !== 'chat' || !body['tools'] || !reasons) return undefined;
      const cure =
        model === 'gpt-5.6'
          ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
          : 'Please use /v1/responses instead.';
      return {
        status: 400,
        body: openAiError(
          `Function tools with reasoning_effort are not supported for ${String(model)} in /v1/chat/completions. ${cure}`,
          null,
          'reasoning_effort',
        ),
      };
    },
  ),
  chat: { extra: { service_tier: 'default', system_fingerprint: 'fp_1' }, extraOfChoice: { logprobs: null } },
  // platform.openai.com/docs/api-reference/responses-streaming; test/fixtures/streams/responses-openai-call.sse
  responses: { isNumbered: true, extraOfDelta: { obfuscation: 'x1Bq', logprobs: [] } },
};

const AZURE: Imitation = {
  name: 'Azure OpenAI',
  wires: ['responses', 'chat'],
  model: 'team-gpt',
  provider: { dialect: 'azure' },
  routes: { '/v1/models': list(listed('team-gpt', { owned_by: 'azure' })) },
  // github.com/microsoft/semantic-kernel/issues/10337; the key is in `api-key`
  denies: (headers) =>
    headers['api-key'] === IMITATED_KEY
      ? undefined
      : {
          status: 401,
          body: {
            error: {
              code: '401',
              message:
                'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
            },
          },
        },
  refuses: anyOf(
    // learn.microsoft.com/azure/ai-foundry/openai, troubleshooting
    unlessModel('team-gpt', () => ({
      status: 404,
      body: {
        error: {
          code: 'DeploymentNotFound',
          message:
            'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
        },
      },
    })),
    // github.com/anomalyco/opencode/issues/12113
    ({ body }) =>
      body['reasoning_effort'] === undefined
        ? undefined
        : { status: 400, body: openAiError('Unrecognized request argument supplied: reasoning_effort', null) },
  ),
  chat: {
    // The first chunk has the results of the content filter and no choice (test/fixtures/streams/chat-azure.sse).
    prelude: `data: ${JSON.stringify({
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
    })}\n\n`,
    extraOfChoice: { content_filter_results: {}, logprobs: null },
  },
  responses: { isNumbered: true, extraOfDelta: { obfuscation: 'x1Bq' } },
};

const OPENROUTER: Imitation = {
  name: 'OpenRouter',
  wires: ['chat', 'responses'],
  model: 'qwen/qwen3-coder',
  provider: { dialect: 'openrouter' },
  routes: {
    // openrouter.ai/docs/api-reference/list-available-models
    '/v1/models': {
      data: [
        {
          id: 'qwen/qwen3-coder',
          name: 'Qwen: Qwen3 Coder',
          context_length: 262_144,
          architecture: { input_modalities: ['text'], output_modalities: ['text'] },
          supported_parameters: ['tools', 'tool_choice', 'reasoning'],
        },
        {
          id: 'deepseek/deepseek-r1:free',
          name: 'DeepSeek: R1',
          context_length: 163_840,
          architecture: { input_modalities: ['text'], output_modalities: ['text'] },
          supported_parameters: ['reasoning', 'include_reasoning'],
        },
      ],
    },
  },
  // github.com/musistudio/claude-code-router/issues/227
  denies: (headers) =>
    bearerIs(headers)
      ? undefined
      : { status: 401, body: { error: { message: 'No auth credentials found', code: 401 } } },
  refuses: anyOf(
    // github.com/dnakov/anon-kode/issues/2
    ({ body }) =>
      body['model'] === 'deepseek/deepseek-r1:free' && body['tools']
        ? {
            status: 404,
            body: {
              error: {
                message:
                  'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing',
                code: 404,
              },
            },
          }
        : undefined,
    ({ body }) =>
      // github.com/maxnowack/anthropic-proxy/issues/4
      ['qwen/qwen3-coder', 'deepseek/deepseek-r1:free'].includes(String(body['model']))
        ? undefined
        : {
            status: 400,
            body: {
              error: { message: `${String(body['model'])} is not a valid model ID`, code: 400 },
              user_id: 'user_1',
            },
          },
  ),
  chat: {
    // openrouter.ai/docs/api-reference/streaming, “Comments”
    prelude: ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
    reasoning: 'reasoning',
    extra: { provider: 'Alibaba' },
    extraOfChoice: { native_finish_reason: null, logprobs: null },
    alwaysUsage: true,
  },
  // openrouter.ai/docs/api-reference/responses/basic-usage, “Streaming”: no names, and `[DONE]` at the end
  responses: { end: 'data: [DONE]\n\n' },
};

const OLLAMA: Imitation = {
  name: 'Ollama',
  wires: ['chat', 'responses'],
  model: 'qwen3-coder:30b',
  provider: {},
  routes: {
    '/v1/models': list(
      listed('qwen3-coder:30b', { owned_by: 'library' }),
      listed('gemma3:4b', { owned_by: 'library' }),
      listed('devstral:latest', { owned_by: 'library' }),
    ),
    // docs.ollama.com/api/ps
    '/api/ps': {
      models: [
        { name: 'qwen3-coder:30b', model: 'qwen3-coder:30b', size: 1, size_vram: 1, context_length: 32_768 },
        { name: 'devstral:latest', model: 'devstral:latest', size: 1, size_vram: 1, context_length: 8192 },
      ],
    },
  },
  refuses: anyOf(
    ({ body }) =>
      ['qwen3-coder:30b', 'gemma3:4b', 'devstral:latest'].includes(String(body['model']))
        ? undefined
        : {
            // ollama/openai/openai.go, NewError; docs.ollama.com/faq
            status: 404,
            body: {
              error: {
                message: `model "${String(body['model'])}" not found, try pulling it first`,
                type: 'api_error',
                param: null,
                code: null,
              },
            },
          },
    // github.com/louisho5/picobot/issues/6
    ({ body }) =>
      body['model'] === 'gemma3:4b' && body['tools']
        ? {
            status: 400,
            body: {
              error: {
                message: 'registry.ollama.ai/library/gemma3:4b does not support tools',
                type: 'api_error',
                param: null,
                code: null,
              },
            },
          }
        : undefined,
    // github.com/Gitlawb/openclaude/issues/1371
    ({ body }) =>
      body['reasoning_effort'] || body['reasoning']
        ? {
            status: 400,
            body: {
              error: {
                message: `"${String(body['model'])}" does not support thinking`,
                type: 'invalid_request_error',
                param: null,
                code: null,
              },
            },
          }
        : undefined,
  ),
  // test/fixtures/streams/chat-ollama.sse
  chat: { reasoning: 'reasoning', wholeCalls: true, extra: { system_fingerprint: 'fp_ollama' } },
  // docs.ollama.com/openai, “/v1/responses”; ollama/openai/responses.go
  responses: { isNumbered: true },
};

const LM_STUDIO: Imitation = {
  name: 'LM Studio',
  wires: ['chat', 'responses'],
  model: 'qwen/qwen3-coder-30b',
  provider: {},
  routes: {
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2139
    '/v1/models': list(
      listed('qwen/qwen3-coder-30b', { owned_by: 'organization_owner' }),
      listed('google/gemma-4-12b', { owned_by: 'organization_owner' }),
    ),
    // github.com/zed-industries/zed/pull/25606, github.com/agustif/opencode-lmstudio/issues/21
    '/api/v0/models': list(
      {
        id: 'qwen/qwen3-coder-30b',
        object: 'model',
        type: 'llm',
        state: 'loaded',
        max_context_length: 262_144,
        loaded_context_length: 40_960,
        capabilities: ['tool_use'],
      },
      {
        id: 'google/gemma-4-12b',
        object: 'model',
        type: 'vlm',
        state: 'not-loaded',
        max_context_length: 131_072,
        capabilities: [],
      },
    ),
  },
  refuses: anyOf(
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1730
    unlessModel('qwen/qwen3-coder-30b', () => ({
      status: 404,
      body: openAiError(
        "No models loaded. Please load a model in the developer page or use the 'lms load' command.",
        null,
        'model',
      ),
    })),
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1812
    (request) => {
      const at = toolTypes(request).findIndex((type) => type !== 'function');
      return at === -1
        ? undefined
        : { status: 400, body: openAiError('Invalid', 'invalid_string', `tools.${at}.type`) };
    },
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/669; versions since then replace the role (…/issues/1730)
    (request) =>
      request.wire === 'chat' && roles(request).includes('developer')
        ? {
            status: 400,
            body: {
              error:
                "'messages' array must only contain objects with a 'role' field that is in [user, assistant, system, tool]. Got 'developer'",
            },
          }
        : undefined,
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1576
    ({ body }) =>
      typeof body['text'] === 'object' && body['text'] !== null && !('format' in body['text'])
        ? { status: 400, body: openAiError('Required', 'missing_required_parameter', 'text.format') }
        : undefined,
  ),
  chat: { extra: { system_fingerprint: 'qwen/qwen3-coder-30b' }, extraOfChoice: { logprobs: null } },
  // lmstudio.ai/docs/developer/openai-compat/responses
  responses: { isNumbered: true },
};

/** Returns true if the arguments of an earlier call are not a JSON object. */
function repeatsBrokenCall({ input }: ModelRequest): boolean {
  type Call = { readonly arguments?: unknown; readonly function?: { readonly arguments?: unknown } };
  const made = (item: object) => [item as Call, ...((item as { tool_calls?: readonly Call[] }).tool_calls ?? [])];
  const texts = input.flatMap(made).map((call) => call.function?.arguments ?? call.arguments);
  return texts.some((text) => typeof text === 'string' && !isObject(text));
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const LLAMA_CPP: Imitation = {
  name: 'llama.cpp',
  wires: ['chat', 'responses'],
  model: 'qwen3-coder.gguf',
  provider: {},
  routes: {
    // llama.cpp, tools/server/README.md, “GET /v1/models” and “GET /props”
    '/v1/models': list(
      listed('qwen3-coder.gguf', { owned_by: 'llamacpp', meta: { n_ctx_train: 262_144, n_params: 30_532_122_624 } }),
    ),
    '/props': {
      default_generation_settings: { n_ctx: 16_384 },
      total_slots: 1,
      modalities: { vision: false, audio: false },
    },
  },
  // llama.cpp, tools/server/server-http.cpp, the middleware for `--api-key`
  denies: (headers) =>
    headers.authorization === undefined || bearerIs(headers)
      ? undefined
      : { status: 401, body: { error: { code: 401, message: 'Invalid API Key', type: 'authentication_error' } } },
  refuses: anyOf(
    // github.com/ggml-org/llama.cpp/issues/20156
    (request) =>
      toolTypes(request).some((type) => type !== 'function')
        ? {
            status: 400,
            body: { error: { code: 400, message: "'type' of tool must be 'function'", type: 'invalid_request_error' } },
          }
        : undefined,
    // github.com/ggml-org/llama.cpp/issues/23465
    ({ wire, input }) =>
      wire === 'responses' && input.some(({ output }) => Array.isArray(output) && hasImage(output))
        ? {
            status: 400,
            body: {
              error: {
                code: 400,
                message: "Output of tool call should be 'Input text'",
                type: 'invalid_request_error',
              },
            },
          }
        : undefined,
    // github.com/am17an/llama.cpp/issues/43
    (request) =>
      repeatsBrokenCall(request)
        ? {
            status: 500,
            body: {
              error: {
                code: 500,
                message:
                  'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing object key - unexpected end of input; expected string literal',
                type: 'server_error',
              },
            },
          }
        : undefined,
    // A chat template: github.com/anomalyco/opencode/issues/5034
    (request) =>
      roles(request).includes('developer')
        ? {
            status: 500,
            body: {
              error: {
                code: 500,
                message: 'Only user, assistant and tool roles are supported, got developer.',
                type: 'server_error',
              },
            },
          }
        : undefined,
  ),
  chat: { extra: { system_fingerprint: 'b9264-1' } },
  // Without the indices: github.com/ggml-org/llama.cpp/pull/24957, github.com/lemonade-sdk/lemonade/issues/3607
  responses: { isNumbered: true, without: ['sequence_number', 'output_index', 'content_index', 'summary_index'] },
};

function hasImage(output: readonly unknown[]): boolean {
  return output.some((part) => (part as { type?: string }).type === 'input_image');
}

const VLLM: Imitation = {
  name: 'vLLM',
  wires: ['chat', 'responses'],
  model: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
  provider: {},
  routes: {
    // vllm/entrypoints/openai/engine/protocol.py, ModelCard
    '/v1/models': list(
      listed('Qwen/Qwen3-Coder-30B-A3B-Instruct', {
        owned_by: 'vllm',
        root: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
        parent: null,
        max_model_len: 65_536,
      }),
    ),
  },
  // vllm/entrypoints/openai/server_utils.py, AuthenticationMiddleware
  denies: (headers) =>
    headers.authorization === undefined || bearerIs(headers)
      ? undefined
      : { status: 401, body: { error: 'Unauthorized' } },
  refuses: anyOf(
    // github.com/vllm-project/vllm/issues/3485
    unlessModel('Qwen/Qwen3-Coder-30B-A3B-Instruct', (name) => ({
      status: 404,
      body: {
        object: 'error',
        message: `The model \`${name}\` does not exist.`,
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
    })),
    // github.com/vllm-project/vllm/pull/48922
    (request) =>
      repeatsBrokenCall(request)
        ? {
            status: 400,
            body: {
              error: {
                message: 'Unterminated string starting at: line 1 column 9 (char 8)',
                type: 'BadRequestError',
                param: null,
                code: 400,
              },
            },
          }
        : undefined,
    // The form of pydantic: github.com/router-for-me/CLIProxyAPI/issues/1572
    ({ body }) =>
      ['none', 'minimal', 'xhigh'].includes(String(body['reasoning_effort']))
        ? {
            status: 400,
            body: {
              error: {
                message: `1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "Input should be 'low', 'medium' or 'high'", 'input': '${String(body['reasoning_effort'])}'}`,
                type: 'Bad Request',
                param: null,
                code: 400,
              },
            },
          }
        : undefined,
  ),
  // test/fixtures/streams/chat-vllm.sse
  chat: { reasoning: 'reasoning', extraOfChoice: { logprobs: null, stop_reason: null, token_ids: null } },
  // github.com/vllm-project/vllm/pull/47916; test/fixtures/streams/responses-vllm.sse
  responses: { isNumbered: true, lateIds: true },
};

/** vLLM without `--enable-auto-tool-choice`: github.com/vllm-project/vllm/issues/9986 */
export const VLLM_WITHOUT_TOOLS: Imitation = {
  ...VLLM,
  name: 'vLLM without a parser of tool calls',
  refuses: anyOf(
    ({ body }) =>
      body['tools']
        ? {
            status: 400,
            body: {
              object: 'error',
              message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
              type: 'BadRequestError',
              param: null,
              code: 400,
            },
          }
        : undefined,
    VLLM.refuses,
  ),
};

const claude = (id: string, name: string) => ({
  type: 'model',
  id,
  display_name: name,
  created_at: '2026-09-22T00:00:00Z',
  max_input_tokens: 1_000_000,
  max_tokens: 128_000,
  capabilities: {
    image_input: { supported: true },
    effort: { supported: true, low: { supported: true }, medium: { supported: true }, high: { supported: true } },
    thinking: { supported: true, types: { adaptive: { supported: true }, enabled: { supported: false } } },
  },
});
const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
});

/**
 * Anthropic. It is not in `IMITATIONS`, because the suites of the wire already use it, and every request is checked
 * against the rules of the server (`messagesRules.ts`).
 */
export const ANTHROPIC: Imitation = {
  name: 'Anthropic',
  wires: ['messages'],
  model: 'claude-opus-5-5',
  provider: {},
  // platform.claude.com/docs/en/api/models/list
  routes: {
    '/v1/models': {
      data: [claude('claude-opus-5-5', 'Claude Opus 5.5'), claude('claude-next', 'Claude Next')],
      has_more: false,
      first_id: 'claude-opus-5-5',
      last_id: 'claude-next',
    },
  },
  // platform.claude.com/docs/en/api/overview, “Authentication”, and …/api/versioning
  denies: (headers) => {
    if (headers['x-api-key'] !== IMITATED_KEY) {
      return { status: 401, body: anthropicError('authentication_error', 'invalid x-api-key') };
    }
    if (headers['anthropic-version'] === '2023-06-01') return undefined;
    return {
      status: 400,
      body: anthropicError('invalid_request_error', 'anthropic-version: header is required'),
    };
  },
  // github.com/anthropics/claude-code/issues/5349
  refuses: unlessModel('claude-opus-5-5', (name) => ({
    status: 404,
    body: anthropicError('not_found_error', `model: ${name}`),
  })),
};

export const IMITATIONS: readonly Imitation[] = [OPENAI, AZURE, OPENROUTER, OLLAMA, LM_STUDIO, LLAMA_CPP, VLLM];
