import type { ToolOptions } from '../../src/core/tools/handler.ts';
import { DEFAULT_ENVIRONMENT } from '../../src/protocol/settings.ts';

/** What the built-in tools are made with where a test is not about that: no rules, default settings. */
export const TOOL_OPTIONS: ToolOptions = {
  rules: async () => [],
  review: 'after',
  environment: DEFAULT_ENVIRONMENT,
  saveBeforeCommands: 'ask',
};
