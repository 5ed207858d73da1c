import type { TurnSettings } from '../../protocol/event.ts';
import type { MessageItem } from '../../protocol/responseItem.ts';
import type { Host } from '../ports.ts';
import { escapeMarkup, unescapeMarkup } from './markup.ts';

/** Facts for the model about its environment. Absent fields are unknown or have not changed. */
export interface EnvironmentFacts {
  readonly cwd: string;
  readonly approval_policy: string;
  readonly sandbox_mode: string;
  readonly network_access: 'restricted' | 'enabled';
  readonly writable_roots: readonly string[];
  readonly shell: string;
  /** YYYY-MM-DD. */
  readonly current_date: string;
  readonly timezone: string;
}

/**
 * Returns the facts as the model reads them. They are compared with those it has, so each must be the same while
 * nothing changes.
 */
export function environmentFacts(
  settings: TurnSettings,
  host: Pick<Host, 'shell' | 'timeZone' | 'localDay'>,
  now: Date,
): EnvironmentFacts {
  const policy = settings.sandboxPolicy;
  const networked = policy.type === 'danger-full-access' || policy.networkAccess;
  return {
    cwd: settings.cwd,
    approval_policy: settings.approvalPolicy,
    sandbox_mode: policy.type,
    network_access: networked ? 'enabled' : 'restricted',
    writable_roots: policy.type === 'workspace-write' ? [settings.cwd, ...policy.writableRoots] : [],
    shell: nameOf(host.shell),
    current_date: host.localDay(now),
    timezone: host.timeZone,
  };
}

/** The name of the shell without its folder, such as `zsh`: the name determines the syntax of commands. */
function nameOf(shell: string): string {
  return (shell.split(/[\\/]/).at(-1) ?? shell).replace(/\.exe$/i, '');
}

/** Returns only the fields that differ; `undefined` when none does. */
export function changedFacts(
  before: Partial<EnvironmentFacts>,
  after: EnvironmentFacts,
): Partial<EnvironmentFacts> | undefined {
  const changed = Object.entries(after).filter(
    ([key, value]) => String(before[key as keyof EnvironmentFacts] ?? '') !== String(value),
  );
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<EnvironmentFacts>);
}

/** An `<environment_context>` user message (codex-behaviour.md §7). */
export function environmentMessage(facts: Partial<EnvironmentFacts>): MessageItem {
  const lines = Object.entries(facts).flatMap(([key, value]) => {
    if (!Array.isArray(value)) return [`  <${key}>${escapeMarkup(String(value))}</${key}>`];
    if (value.length === 0) return [`  <${key}></${key}>`];
    return [`  <${key}>`, ...value.map((root) => `    <root>${escapeMarkup(String(root))}</root>`), `  </${key}>`];
  });
  const text = ['<environment_context>', ...lines, '</environment_context>'].join('\n');
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

const FIELD = /^ {2}<(\w+)>(?:(.*)<\/\1>$|\n((?: {4}<root>.*<\/root>\n)*) {2}<\/\1>$)/gm;
const ROOT = /<root>(.*)<\/root>/g;

/** Reads the facts from such a message; none when the text is something else. */
export function factsIn(text: string): Partial<EnvironmentFacts> {
  if (!text.startsWith('<environment_context>\n')) return {};
  const facts = [...text.matchAll(FIELD)].map(([, key, value, roots]) => {
    const list =
      roots === undefined ? undefined : [...roots.matchAll(ROOT)].map(([, root]) => unescapeMarkup(root ?? ''));
    return [key, list ?? unescapeMarkup(value ?? '')] as const;
  });
  return Object.fromEntries(facts) as Partial<EnvironmentFacts>;
}
