import { threadSettingsOf } from '../../src/core/agent/threadSettings.ts';
import type { ThreadSettings } from '../../src/core/session/sessionOptions.ts';
import { DEFAULT_SETTINGS } from '../../src/protocol/settings.ts';

/** The settings of a thread under the default settings, without a sandbox, in `/work`. */
export const THREAD_DEFAULTS: ThreadSettings = threadSettingsOf(DEFAULT_SETTINGS, {
  model: 'test-model',
  cwd: '/work',
  baseInstructions: null,
  review: 'after',
  sandboxFor: () => ({ box: 'none' }),
});

/** Returns the defaults, with those fields replaced that the options of a test contain. */
export function chosenFrom<Part extends object>(
  options: Readonly<Partial<Record<keyof Part, unknown>>>,
  defaults: Part,
): Part {
  const names = Object.keys(defaults) as (keyof Part)[];
  const chosen = names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]] as const);
  return { ...defaults, ...(Object.fromEntries(chosen) as Partial<Part>) };
}
