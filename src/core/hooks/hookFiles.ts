import { parse, type ParseError } from 'jsonc-parser';
import type { Host } from '../ports.ts';
import { withoutByteOrderMark } from '../util/textBytes.ts';
import { type Hook, hookOf, type HookPlace } from './definition.ts';
import { type ParsedHooks, parseHooks } from './parseHooks.ts';

/** A file that may have hooks, with its text. */
export interface HookFile extends HookPlace {
  readonly text: string;
}

export interface FoundHooks {
  readonly hooks: readonly Hook[];
  /** One sentence each, with the place. */
  readonly problems: readonly string[];
  /** Events that Tiller does not have, with the place. */
  readonly unknownEvents: readonly { readonly event: string; readonly source: string }[];
}

/** The hooks in the setting `hooks`. An event that Tiller does not have is a problem. */
export function hooksInSettings(value: unknown, platform: Host['platform']): FoundHooks {
  const place: HookPlace = { origin: 'settings', source: 'tiller.hooks', style: 'claude' };
  const parsed = parseHooks(value, platform);
  const unknown = parsed.unknownEvents.map((event) => `${event}: Tiller has no such event.`);
  return found({ ...parsed, unknownEvents: [], problems: [...parsed.problems, ...unknown] }, place);
}

/** The hooks in a file of another product. Its other content is ignored. */
export function hooksInFile({ text, ...place }: HookFile, platform: Host['platform']): FoundHooks {
  const errors: ParseError[] = [];
  const content: unknown = parse(withoutByteOrderMark(text), errors, { allowTrailingComma: true });
  const nothing: ParsedHooks = { hooks: [], problems: [], unknownEvents: [] };
  if (errors.length > 0) return found({ ...nothing, problems: ['it is not valid JSON.'] }, place);
  if (typeof content !== 'object' || content === null || !('hooks' in content)) return found(nothing, place);
  if ('disableAllHooks' in content && content.disableAllHooks === true) return found(nothing, place);
  return found(parseHooks(content.hooks, platform), place);
}

function found({ hooks, problems, unknownEvents }: ParsedHooks, place: HookPlace): FoundHooks {
  const { source } = place;
  return {
    hooks: hooks.map((hook) => hookOf(hook, place)),
    problems: problems.map((problem) => `${source}: ${problem}`),
    unknownEvents: unknownEvents.map((event) => ({ event, source })),
  };
}
