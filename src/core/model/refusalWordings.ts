/**
 * Wordings by which servers refuse features that they do not implement, where the message does not name the field or
 * the status is not 400. Each wording is one that a real server has sent, with its source.
 * test/core/model/refusalWordings.test.ts has the complete answers, and those of servers that name the field and need
 * no entry here.
 */
/** The fields of `fieldFallback.ts` that a wording can identify. */
type WordingField =
  | 'tools'
  | 'tool_choice'
  | 'tool_images'
  | 'message_order'
  | 'reasoning.effort'
  | 'reasoning_beside_tools'
  | 'reasoning'
  | 'reasoning_history'
  | 'thinking'
  | 'max_tokens'
  | 'text.verbosity'
  | 'developer_role'
  | 'custom_tools'
  | 'web_search'
  | 'local_shell';

export interface Wording {
  readonly says: RegExp;
  /** The first of them that was sent is left out. */
  readonly fields: readonly WordingField[];
  /** By default 400 and 422. */
  readonly statuses?: readonly number[];
  readonly source: string;
}

export const WORDINGS: readonly Wording[] = [
  {
    says: /does not support tools\b/,
    fields: ['tools'],
    source: 'Ollama: github.com/ollama/ollama/issues/6027, /14795',
  },
  {
    says: /"?auto"? tool choice requires --enable-auto-tool-choice/,
    fields: ['tools'],
    source: 'vLLM: github.com/vllm-project/vllm/issues/9986',
  },
  {
    says: /tools param requires --jinja flag|Unsupported param: tools\b/,
    fields: ['tools'],
    statuses: [400, 500],
    source: 'llama.cpp: github.com/defilantech/LLMKube/issues/126, github.com/ggml-org/llama.cpp/issues/10920',
  },
  {
    says: /No endpoints found that support tool use/,
    fields: ['tools'],
    statuses: [404],
    source: 'OpenRouter: github.com/dnakov/anon-kode/issues/2',
  },
  {
    says: /No endpoints found that support the provided 'tool_choice' value/,
    fields: ['tool_choice'],
    statuses: [404],
    source: 'OpenRouter: github.com/zed-industries/zed/issues/36094',
  },
  {
    // Models that reason by default refuse tools without an effort, too: only `none` helps.
    says: /Function tools with reasoning_effort are not supported.*set reasoning_effort to 'none'/,
    fields: ['reasoning_beside_tools'],
    source: 'OpenAI, gpt-5.6: github.com/GEMISIS/leviath/issues/333, github.com/BerriAI/litellm/pull/34569',
  },
  {
    says: /Function tools with reasoning_effort are not supported/,
    fields: ['reasoning.effort', 'reasoning_beside_tools'],
    source: 'OpenAI, gpt-5.4 and gpt-5.5: github.com/pipecat-ai/pipecat/issues/4043',
  },
  {
    says: /does not support\s+thinking\b|think value .{1,20} is not supported/,
    fields: ['reasoning.effort', 'reasoning'],
    source: 'Ollama: github.com/Gitlawb/openclaude/issues/1371, github.com/ollama/ollama/issues/12561',
  },
  {
    // Newer models accept a block of reasoning only behind the very conversation in which they wrote it.
    says: /`?signature`? in `?(?:redacted_)?thinking`? block|thinking`? blocks? .*cannot be modified/i,
    fields: ['reasoning_history'],
    source:
      'Anthropic: apidog.com/de/blog/claude-fable-5-1-preserved-thinking, github.com/anthropics/claude-code/issues/63448',
  },
  {
    says: /\bthinking\b.*is not supported (?:for|on|by) this model|does not support (?:adaptive |extended )?thinking\b/i,
    fields: ['thinking'],
    source: 'Anthropic: platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5',
  },
  {
    says: /max_tokens: \d+ > \d+/,
    fields: ['max_tokens'],
    source: 'Anthropic, with claude-haiku-4-5 and claude-3-haiku',
  },
  {
    says: /'type' of tool must be 'function'/,
    fields: ['custom_tools', 'web_search', 'local_shell'],
    source: 'llama.cpp: github.com/ggml-org/llama.cpp/issues/20156',
  },
  {
    says: /only\W+type\W+function\W+tools are supported/i,
    fields: ['custom_tools', 'web_search', 'local_shell'],
    source: 'Command Code: github.com/CommandCodeAI/command-code/issues/885',
  },
  {
    says: /Output of tool call should be 'Input text'/,
    fields: ['tool_images'],
    source: 'llama.cpp: github.com/ggml-org/llama.cpp/issues/23465',
  },
  {
    // The schema of `text` requires a format beside the verbosity.
    says: /\bRequired\b.*\(text\.format\)/,
    fields: ['text.verbosity'],
    source: 'LM Studio: github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1576',
  },
  {
    says: /'role' field that is in \[[^\]]*\]\. Got 'developer'/,
    fields: ['developer_role'],
    source: 'LM Studio: github.com/lmstudio-ai/lmstudio-bug-tracker/issues/669',
  },
  {
    says: /role\W+user\W+after role\W+tool/i,
    fields: ['message_order'],
    source: 'Mistral: github.com/zed-industries/zed/pull/31736, github.com/avante-corp/avante.nvim/issues/2562',
  },
  {
    says: /conversation roles must alternate/i,
    fields: ['message_order'],
    statuses: [400, 422, 500],
    source:
      'chat templates of Mistral, Devstral and Gemma: github.com/eclipse-theia/theia/issues/17104, github.com/idiap/sdialog/issues/122',
  },
  {
    says: /'developer' is not one of/,
    fields: ['developer_role'],
    source: 'servers that check with jsonschema, in the form of OpenAI’s checks of 2023',
  },
  {
    // “got system” is about the instructions, which cannot be left out.
    says: /only [\w, ]+ roles are supported(?!.*got system)/i,
    fields: ['developer_role'],
    statuses: [400, 422, 500],
    source: 'chat templates in llama.cpp and LM Studio: github.com/anomalyco/opencode/issues/5034',
  },
];
