/** Answers of real servers that refuse a part of a request, and the field that is left out for each. */
import { describe, expect, test } from 'vitest';
import { httpFault } from '../../../src/core/model/faults.ts';
import { type Dispensable, refusedBy } from '../../../src/core/model/fieldFallback.ts';
import { WORDINGS } from '../../../src/core/model/refusalWordings.ts';

const EVERYTHING: readonly Dispensable[] = [
  'include',
  'store',
  'reasoning',
  'reasoning.effort',
  'reasoning_beside_tools',
  'reasoning.summary',
  'reasoning_history',
  'text.verbosity',
  'text.format',
  'prompt_cache_key',
  'parallel_tool_calls',
  'tool_choice',
  'stream_options',
  'developer_role',
  'custom_tools',
  'web_search',
  'local_shell',
  'tool_images',
  'message_order',
  'tools',
  'thinking',
  'cache_control',
  'max_tokens',
];

interface Answered {
  readonly server: string;
  /** An issue or a page that has the answer. */
  readonly source: string;
  readonly status?: number;
  readonly body: unknown;
  readonly refuses: Dispensable | undefined;
}

const openAi = (message: string, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code: null },
});
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const google = (message: string) => [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }];
const routing = 'To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing';

const ANSWERS: readonly Answered[] = [
  {
    server: 'Mistral',
    source: 'https://github.com/avante-corp/avante.nvim/issues/2562',
    body: {
      object: 'error',
      message: "Unexpected role 'user' after role 'tool'",
      type: 'invalid_request_message_order',
      param: null,
      code: '3230',
    },
    refuses: 'message_order',
  },
  {
    server: 'Mistral behind OpenRouter',
    source: 'https://github.com/charmbracelet/crush/issues/279',
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'","type":"invalid_request_message_order","param":null,"code":"3230"}',
          provider_name: 'Mistral',
        },
      },
    },
    refuses: 'message_order',
  },
  {
    server: 'llama.cpp with Devstral',
    source: 'https://github.com/eclipse-theia/theia/issues/17104',
    status: 500,
    body: {
      error: {
        code: 500,
        message:
          'While executing CallExpression at line 189, column 32 in source:\n...\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.',
        type: 'server_error',
      },
    },
    refuses: 'message_order',
  },
  {
    server: 'OpenAI, gpt-5.5',
    source: 'https://github.com/charmbracelet/crush/issues/2913',
    body: openAi(
      'Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions. Please use /v1/responses instead.',
      'reasoning_effort',
    ),
    refuses: 'reasoning.effort',
  },
  {
    server: 'OpenAI, gpt-5.6',
    source: 'https://github.com/GoogleChromeLabs/webmcp-tools/issues/417',
    body: openAi(
      "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      'reasoning_effort',
    ),
    refuses: 'reasoning_beside_tools',
  },
  {
    server: 'Ollama',
    source: 'https://github.com/ollama/ollama/issues/6027',
    body: { error: { message: 'stablelm2:latest does not support tools', type: 'api_error', param: null, code: null } },
    refuses: 'tools',
  },
  {
    server: 'Ollama',
    source: 'https://github.com/ollama/ollama/issues/14795',
    body: { error: 'registry.ollama.ai/library/Qwen3.5:0.8b does not support tools' },
    refuses: 'tools',
  },
  {
    server: 'Ollama',
    source: 'https://github.com/Gitlawb/openclaude/issues/1371',
    body: openAi('"llama3.1:8b" does not support thinking'),
    refuses: 'reasoning.effort',
  },
  {
    server: 'Ollama',
    source: 'https://github.com/ollama/ollama/issues/12561',
    body: { error: { message: 'think value "medium" is not supported for this model', type: 'api_error' } },
    refuses: 'reasoning.effort',
  },
  {
    server: 'vLLM',
    source: 'https://github.com/vllm-project/vllm/issues/9986',
    body: {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    refuses: 'tools',
  },
  {
    server: 'vLLM behind GPUStack',
    source: 'https://github.com/gpustack/gpustack/issues/429',
    body: {
      object: 'error',
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]",
      type: 'BadRequestError',
      code: 400,
    },
    refuses: 'stream_options',
  },
  {
    server: 'SGLang',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/1572',
    body: {
      object: 'error',
      message:
        "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \"Input should be 'low', 'medium' or 'high'\", 'input': 'xhigh'}",
      type: 'Bad Request',
      param: null,
      code: 400,
    },
    refuses: 'reasoning.effort',
  },
  {
    server: 'llama.cpp',
    source: 'https://github.com/defilantech/LLMKube/issues/126',
    status: 500,
    body: { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
    refuses: 'tools',
  },
  {
    server: 'llama.cpp',
    source: 'https://github.com/ggml-org/llama.cpp/issues/10920',
    status: 500,
    body: { code: 500, message: 'Unsupported param: tools', type: 'server_error' },
    refuses: 'tools',
  },
  {
    server: 'llama.cpp',
    source: 'https://github.com/ggml-org/llama.cpp/issues/20156',
    body: { error: { code: 400, message: "'type' of tool must be 'function'", type: 'invalid_request_error' } },
    refuses: 'custom_tools',
  },
  {
    server: 'llama.cpp',
    source: 'https://github.com/ggml-org/llama.cpp/issues/23465',
    body: {
      error: { code: 400, message: "Output of tool call should be 'Input text'", type: 'invalid_request_error' },
    },
    refuses: 'tool_images',
  },
  {
    server: 'a chat template in llama.cpp',
    source: 'https://github.com/anomalyco/opencode/issues/5034',
    status: 500,
    body: { error: { code: 500, message: 'Only user, assistant and tool roles are supported, got developer' } },
    refuses: 'developer_role',
  },
  {
    server: 'a chat template in LM Studio, about the instructions',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2219',
    status: 500,
    body: { error: 'Only user, assistant and tool roles are supported, got system' },
    refuses: undefined,
  },
  {
    server: 'LM Studio',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/669',
    body: {
      error:
        "'messages' array must only contain objects with a 'role' field that is in [user, assistant, system, tool]. Got 'developer'",
    },
    refuses: 'developer_role',
  },
  {
    server: 'LM Studio',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1812',
    body: {
      error: { message: 'Invalid', type: 'invalid_request_error', param: 'tools.14.type', code: 'invalid_string' },
    },
    refuses: 'custom_tools',
  },
  {
    server: 'LM Studio',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1576',
    body: {
      error: {
        message: 'Required',
        type: 'invalid_request_error',
        param: 'text.format',
        code: 'missing_required_parameter',
      },
    },
    refuses: 'text.verbosity',
  },
  {
    server: 'LM Studio behind LiteLLM',
    source: 'https://github.com/openai/codex/issues/22294',
    body: {
      error: {
        message:
          'litellm.BadRequestError: Lm_studioException - Error code: 400 - {\'error\': \'[\\n  {\\n    "received": "custom",\\n    "code": "invalid_literal",\\n    "expected": "function",\\n    "path": [4, "type"]}]\'}',
        code: '400',
      },
    },
    refuses: 'custom_tools',
  },
  {
    server: 'OpenRouter',
    source: 'https://github.com/dnakov/anon-kode/issues/2',
    status: 404,
    body: { error: { message: `No endpoints found that support tool use. ${routing}`, code: 404 } },
    refuses: 'tools',
  },
  {
    server: 'OpenRouter',
    source: 'https://github.com/zed-industries/zed/issues/36094',
    status: 404,
    body: {
      error: { message: `No endpoints found that support the provided 'tool_choice' value. ${routing}`, code: 404 },
    },
    refuses: 'tool_choice',
  },
  {
    server: 'Azure OpenAI',
    source: 'https://github.com/Azure/azure-sdk-for-net/issues/45719',
    body: openAi('Unrecognized request argument supplied: parallel_tool_calls'),
    refuses: 'parallel_tool_calls',
  },
  {
    server: 'Azure OpenAI',
    source: 'https://github.com/anomalyco/opencode/issues/12113',
    body: openAi('Unrecognized request argument supplied: reasoning_effort'),
    refuses: 'reasoning.effort',
  },
  {
    server: 'Azure OpenAI',
    source: 'https://github.com/BerriAI/litellm/issues/16704',
    body: openAi("Invalid value: 'none'. Supported values are: 'low', 'medium', and 'high'.", 'reasoning_effort'),
    refuses: 'reasoning.effort',
  },
  {
    server: 'DeepSeek',
    source: 'https://github.com/losesky/ai-auto-trading/issues/14',
    status: 422,
    body: openAi(
      'Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 85',
    ),
    refuses: 'developer_role',
  },
  {
    server: 'DeepSeek',
    source: 'https://github.com/llm-exe/llm-exe/issues/662',
    body: openAi('This response_format type is unavailable now'),
    refuses: 'text.format',
  },
  {
    server: 'Gemini',
    source: 'https://github.com/Routstr/routstr-core/issues/505',
    body: google('Invalid JSON payload received. Unknown name "store": Cannot find field.'),
    refuses: 'store',
  },
  {
    server: 'Gemini',
    source: 'https://github.com/leookun/cursor-byok/issues/112',
    body: google('Invalid JSON payload received. Unknown name "prompt_cache_key": Cannot find field.'),
    refuses: 'prompt_cache_key',
  },
  {
    server: 'Gemini',
    source: 'https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77',
    body: google('Invalid JSON payload received. Unknown name "reasoning": Cannot find field.'),
    refuses: 'reasoning',
  },
  {
    server: 'xAI',
    source: 'https://github.com/chenyme/grok2api/issues/814',
    body: {
      code: 'invalid-argument',
      error: 'Model grok-4.20-0309-reasoning does not support parameter reasoningEffort.',
    },
    refuses: 'reasoning.effort',
  },
  {
    server: 'Mistral',
    source: 'https://github.com/dnakov/anon-kode/issues/53',
    status: 422,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'stream_options', 'include_usage'],
            msg: 'Extra inputs are not permitted',
            input: true,
          },
        ],
      },
      type: 'invalid_request_error',
    },
    refuses: 'stream_options',
  },
  {
    server: 'Mistral',
    source: 'https://github.com/charmbracelet/crush/issues/1590',
    status: 422,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 31, 'assistant', 'reasoning_content'],
            msg: 'Extra inputs are not permitted',
            input: '\n',
          },
        ],
      },
      type: 'invalid_request_error',
    },
    refuses: 'reasoning_history',
  },
  {
    server: 'Together behind LiteLLM',
    source: 'https://github.com/BerriAI/litellm/pull/38263',
    body: {
      message:
        "litellm.UnsupportedParamsError: together_ai does not support parameters: ['reasoning_effort'], for model=Qwen/Qwen3.5-9B.",
    },
    refuses: 'reasoning.effort',
  },
  {
    server: 'Volcengine',
    source: 'https://github.com/RooCodeInc/Roo-Code/issues/11001',
    body: openAi('Invalid combination of reasoning_effort and thinking type: medium + disabled'),
    refuses: 'reasoning.effort',
  },
  {
    server: 'Command Code',
    source: 'https://github.com/CommandCodeAI/command-code/issues/885',
    body: {
      error: {
        message:
          'Only `type:"function"` tools are supported on this endpoint. Built-in tools (web_search, file_search, code_interpreter, computer_use, mcp) are not executed here.',
        param: 'tools.8.type',
        type: 'invalid_request_error',
      },
    },
    refuses: 'custom_tools',
  },
  {
    server: 'Command Code, once the free-text tools are functions',
    source: 'https://github.com/CommandCodeAI/command-code/issues/885',
    body: { error: { message: 'Your prompt is empty.', type: 'invalid_request_error' } },
    refuses: undefined,
  },
  {
    server: 'a server that checks with jsonschema',
    source: 'https://community.openai.com, errors of 2023',
    body: openAi("'developer' is not one of ['system', 'assistant', 'user', 'function'] - 'messages.1.role'"),
    refuses: 'developer_role',
  },
  {
    server: 'Anthropic',
    source: 'https://github.com/anthropics/claude-code/issues/10627',
    body: anthropic('messages.1.content.0: Invalid `signature` in `thinking` block'),
    refuses: 'reasoning_history',
  },
  {
    server: 'Anthropic',
    source: 'https://apidog.com/de/blog/claude-fable-5-1-preserved-thinking',
    body: anthropic(
      'messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.',
    ),
    refuses: 'reasoning_history',
  },
  {
    server: 'Anthropic',
    source: 'https://github.com/anthropics/claude-code/issues/63448',
    body: anthropic(
      'messages.1.content.24: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    ),
    refuses: 'reasoning_history',
  },
  {
    server: 'Anthropic',
    source: 'https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5',
    body: anthropic(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ),
    refuses: 'thinking',
  },
  {
    server: 'Anthropic behind OpenRouter',
    source: 'https://github.com/earendil-works/pi/issues/7938',
    body: anthropic('tools.3.cache_control: Extra inputs are not permitted'),
    refuses: 'cache_control',
  },
  {
    server: 'Anthropic, claude-haiku-4-5',
    source: 'https://platform.claude.com/docs/en/api/errors',
    body: anthropic(
      'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001',
    ),
    refuses: 'max_tokens',
  },
  {
    server: 'Anthropic, when the answer does not fit behind the conversation',
    source: 'https://github.com/docker/docker-agent/issues/569',
    body: anthropic(
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    ),
    refuses: undefined,
  },
];

describe('answers of real servers', () => {
  test.each(ANSWERS)('$server, $source: left out is $refuses', ({ status = 400, body, refuses }) => {
    const fault = httpFault(status, new Headers(), body, new Date(0));
    expect(refusedBy(fault, EVERYTHING)).toBe(refuses);
    expect(refusedBy(fault, [])).toBeUndefined();
  });

  test('each entry of the table is one that an answer needs', () => {
    const faults = ANSWERS.map(({ status = 400, body }) => httpFault(status, new Headers(), body, new Date(0)));
    const unneeded = WORDINGS.filter(({ says }) => !faults.some(({ detail = '' }) => says.test(detail)));
    expect(unneeded.map(({ says }) => String(says))).toEqual([]);
  });
});
