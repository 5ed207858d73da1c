/** Wordings by which servers refuse a request that is longer than the model can read. */

const WORDINGS: readonly RegExp[] = [
  // OpenAI, Azure, OpenRouter, DeepSeek, Mistral, vLLM, SGLang, LM Studio, Ollama, MiniMax
  /context[ _](?:length|window|size)|maximum context/i,
  // llama.cpp: “the request exceeds the available context size”
  /exceeds? the (?:available|model'?s?) (?:context|maximum)/i,
  // Anthropic: “prompt is too long: 210000 tokens > 200000 maximum”, “input length and `max_tokens` exceed context limit”
  /prompt is too long|exceeds? (?:the )?context limit/i,
  // Bedrock: “Input is too long for requested model.”; vLLM: “Input prompt (9000 tokens) is too long”
  /\binput\b.{0,40}\bis too long/i,
  // Cohere
  /too many (?:input )?tokens/i,
  // Gemini: “The input token count (1066750) exceeds the maximum number of tokens allowed (1048575).”
  /token count\b.{0,40}\bexceeds the (?:maximum|limit)/i,
  // GitHub Copilot: “prompt token count of 129142 exceeds the limit of 128000”
  /prompt token count\b.{0,40}\bexceeds/i,
  // xAI: “This model's maximum prompt length is 131072 but the request contains 537812 tokens.”
  /maximum prompt length/i,
  // Kimi: “Your request exceeded model token limit: 262144”
  /exceeded model token limit/i,
  // Groq, Cerebras: “Please reduce the length of the messages or completion.”
  /reduce the length of the (?:messages|prompt|input)/i,
  // vLLM: “The decoder prompt (length 20000) is longer than the maximum model length of 16384.”
  /maximum model length/i,
  // OpenRouter: “Input length 131393 exceeds the maximum allowed input length of 131040 tokens.”
  /input length\b.{0,20}\bexceeds/i,
  // SiliconFlow: “number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.”
  /exceeded max_prompt_tokens/i,
  // DashScope: “Range of input length should be [1, 98304]”
  /range of input length should be/i,
  // Z.ai, code 1261: “Prompt exceeds max length”
  /prompt exceeds max length/i,
  // Text Generation Inference, Together: “`inputs` tokens + `max_new_tokens` must be <= 4097”
  /tokens \+ `?max_new_tokens`? must be <=/i,
];

/** True when the text of an error says that the request is longer than the model can read. */
export function saysContextExceeded(serverText: string): boolean {
  return WORDINGS.some((wording) => wording.test(serverText));
}
