/** Hooks in the shapes of Claude Code, Codex, VS Code and Copilot: groups with a matcher, or hooks without groups. */
import * as z from 'zod';
import { type HookEvent, hookEventSchema } from '../../protocol/hooks.ts';
import type { Host } from '../ports.ts';
import type { HookDefinition } from './definition.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';
import { isJsonObject } from '../util/json.ts';

/** In seconds. */
const DEFAULT_TIMEOUT = 60;
const LONGEST_TIMEOUT = 3_600;

const groupSchema = lazyObject(() => ({ matcher: z.string().default(''), hooks: z.array(z.unknown()) }));

const command = z.string().trim().min(1).optional();
const hookSchema = lazyObject(() => ({
  type: z.string().default('command'),
  command,
  args: z.array(z.string()).optional(),
  /** Instead of `command` on one platform (VS Code), or with its shell (Copilot). */
  linux: command,
  osx: command,
  windows: command,
  bash: command,
  powershell: command,
  shell: z.enum(['bash', 'powershell']).optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  /** In seconds. */
  timeout: z.number().positive().optional(),
  timeoutSec: z.number().positive().optional(),
  onFailure: z.enum(['continue', 'block']).default('continue'),
  if: z.unknown().optional(),
  async: z.boolean().optional(),
}));
type WrittenHook = z.infer<typeof hookSchema>;

/** Names that other products have for events of ours, besides a small first letter. */
const OTHER_NAMES: Readonly<Record<string, HookEvent>> = { UserPromptSubmitted: 'UserPromptSubmit', AgentStop: 'Stop' };

export interface ParsedHooks {
  readonly hooks: readonly HookDefinition[];
  /** One sentence for each hook that is left out. */
  readonly problems: readonly string[];
  /** Events that Tiller does not have: their hooks never run. */
  readonly unknownEvents: readonly string[];
}

/** Reads the value of a key `hooks`. Never throws. */
export function parseHooks(value: unknown, platform: Host['platform']): ParsedHooks {
  const hooks: HookDefinition[] = [];
  const problems: string[] = [];
  const unknownEvents: string[] = [];
  if (!isJsonObject(value)) return { hooks, problems: ['"hooks" must be an object.'], unknownEvents };
  for (const [name, entries] of Object.entries(value)) {
    const event = eventNamed(name);
    if (event === undefined) {
      unknownEvents.push(name);
      continue;
    }
    for (const [at, entry] of listOf(entries).entries()) {
      for (const { matcher, hook } of ungrouped(entry)) {
        const read = matcherProblem(matcher) ?? readHook(hook, platform);
        if (typeof read === 'string') problems.push(`${name}[${at}]: ${read}`);
        else hooks.push({ ...read, event, matcher, ...(/^[a-z]/.test(name) ? { isSmall: true } : {}) });
      }
    }
  }
  return { hooks, problems, unknownEvents };
}

function eventNamed(name: string): HookEvent | undefined {
  const capital = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  if (Object.hasOwn(OTHER_NAMES, capital)) return OTHER_NAMES[capital];
  return hookEventSchema.safeParse(capital).data;
}

function listOf(entries: unknown): readonly unknown[] {
  return Array.isArray(entries) ? entries : [entries];
}

function ungrouped(entry: unknown): readonly { readonly matcher: string; readonly hook: unknown }[] {
  const group = groupSchema.safeParse(entry);
  if (group.success) return group.data.hooks.map((hook) => ({ matcher: group.data.matcher, hook }));
  const matcher = isJsonObject(entry) && typeof entry['matcher'] === 'string' ? entry['matcher'] : '';
  return [{ matcher, hook: entry }];
}

function readHook(value: unknown, platform: Host['platform']): Omit<HookDefinition, 'event' | 'matcher'> | string {
  const read = hookSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `${issue?.path.join('.') || 'the hook'}: ${issue?.message ?? 'is not valid'}.`;
  }
  const { type, args, cwd, env, timeout, timeoutSec, onFailure, async: isAsync } = read.data;
  if (type !== 'command') return `hooks of the type "${type}" are not supported, only "command".`;
  if (read.data.if !== undefined) return '"if" is not supported, so the hook would run too often.';
  if (isAsync === true) return '"async" is not supported: Tiller waits for each hook.';
  const started = commandFor(read.data, platform);
  if (started === undefined) return 'it names no command for this platform.';
  const seconds = Math.min(timeout ?? timeoutSec ?? DEFAULT_TIMEOUT, LONGEST_TIMEOUT);
  return { ...started, args, cwd, env, timeoutMs: seconds * 1000, onFailure };
}

function commandFor(
  { command: general, linux, osx, windows, bash, powershell, shell }: WrittenHook,
  platform: Host['platform'],
): Pick<HookDefinition, 'command' | 'shell'> | undefined {
  const own = { linux, darwin: osx, win32: windows }[platform];
  if (own !== undefined) return { command: own, shell };
  const named = platform === 'win32' ? powershell : bash;
  if (named !== undefined) return { command: named, shell: platform === 'win32' ? 'powershell' : 'bash' };
  return general === undefined ? undefined : { command: general, shell };
}

function matcherProblem(matcher: string): string | undefined {
  try {
    matchesName(matcher, '');
    return undefined;
  } catch {
    return `the matcher ${matcher} is not a regular expression.`;
  }
}

/**
 * Letters, digits, `_`, `-` and `|` are whole names; anything else is a regular expression that is found somewhere in the
 * name. Case counts. @throws SyntaxError
 */
export function matchesName(matcher: string, name: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|\s,-]+$/.test(matcher)) return matcher.split(/[|,]/).some((part) => part.trim() === name);
  return new RegExp(matcher).test(name);
}
