import type { ToolOptions } from '../../src/core/tools/handler.ts';
import { THREAD_DEFAULTS } from './threadDefaults.ts';

/** The default options of the built-in tools: no rules, default settings. */
export const TOOL_OPTIONS: ToolOptions = {
  ...THREAD_DEFAULTS.tools,
  review: () => THREAD_DEFAULTS.tools.review,
  rules: async () => [],
};

/** A model that takes images, and for which all optional tools except those for files are offered. */
export const TOOL_FAMILY = {
  applyPatch: 'function',
  extraInstructions: true,
  fileTools: false,
  userQuestions: true,
  images: true,
  shell: 'exec_command',
} as const;
