import * as z from 'zod';

/** The points of a thread at which hooks run (docs/hooks.md). Other products have more. */
export const hookEventSchema = z.enum([
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'Notification',
]);
export type HookEvent = z.infer<typeof hookEventSchema>;

/** The reason for which a Notification hook runs, as Claude Code names it; the matcher is compared with it. */
export type NotificationType = 'permission_prompt' | 'elicitation_dialog' | 'idle_prompt';

/** The setting as the user wrote it. Its hooks are checked one by one, so that a wrong one costs no other. */
export const hooksSettingSchema = z.record(z.string(), z.unknown());

/**
 * The effect of a hook, the strongest one where it had several. `none`: it only ran, which is shown if that took long.
 */
export const hookEffectSchema = z.enum([
  'failed',
  'stopped',
  'blocked',
  'asked',
  'changed',
  'context',
  'message',
  'none',
]);
export type HookEffect = z.infer<typeof hookEffectSchema>;
