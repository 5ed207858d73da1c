import * as z from 'zod';

/** The events of a thread at which hooks run (docs/hooks.md). Other products have more of them. */
export const hookEventSchema = z.enum([
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'Notification',
]);
export type HookEvent = z.infer<typeof hookEventSchema>;

/** The reason why a Notification hook runs, with the names of Claude Code. The hook's matcher is compared with it. */
export type NotificationType = 'permission_prompt' | 'elicitation_dialog' | 'idle_prompt';

/**
 * The setting as the user wrote it. Each hook is validated separately, so that a mistake in one does not disable the
 * others.
 */
export const hooksSettingSchema = z.record(z.string(), z.unknown());

/**
 * The effect of a hook; if it had several, the strongest one. `none`: the hook only ran, which is shown if it took
 * long.
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
