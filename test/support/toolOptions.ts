import type { ToolOptions } from '../../src/core/tools/handler.ts';
import { DEFAULT_ENVIRONMENT } from '../../src/protocol/settings.ts';

/** Default options of the built-in tools: no rules, default settings. */
export const TOOL_OPTIONS: ToolOptions = {
  rules: async () => [],
  review: 'after',
  environment: DEFAULT_ENVIRONMENT,
  saveBeforeCommands: 'ask',
  webFetch: true,
  webSearch: 'off',
};

/** A model that takes images and every optional tool besides those for files. */
export const TOOL_FAMILY = {
  applyPatch: 'function',
  extraInstructions: true,
  fileTools: false,
  userQuestions: true,
  images: true,
  shell: 'exec_command',
} as const;
