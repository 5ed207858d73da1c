import path from 'node:path';
import type { Hook } from '../core/hooks/definition.ts';
import type { SelectedHook } from '../core/hooks/selectHooks.ts';
import { joinShellWords } from '../core/policy/shellWords.ts';
import { visibleName } from '../protocol/text/escapeInvisible.ts';
import { createHooks } from '../node/customizations/createHooks.ts';
import { createNodePorts } from '../node/ports.ts';
import { printSentence } from './print.ts';
import { loadSettings } from './settingsFile.ts';
import type { Streams } from './streams.ts';
import { EXIT, UsageError } from './usage.ts';

/** The number of hexadecimal digits of a hash that are shown. They are enough to name a hook. */
const SHOWN_HASH = 12;

/** `tiller hooks` (docs/hooks.md): lists the hooks of settings and files, approves and refuses them. @throws UsageError */
export async function hooks(argv: readonly string[], streams: Streams): Promise<number> {
  const [verb = 'list', ...ids] = argv;
  const cwd = path.resolve('.');
  const ports = createNodePorts({ roots: [cwd] });
  const say = (message: string) => printSentence(streams.stderr, message);
  const layers = { flags: {}, config: [], environment: ports.host.environment };
  const settings = await loadSettings(ports.storage, layers, say);
  const store = createHooks({ ports, settings: () => settings, roots: () => [cwd] });
  const selected = await store.current();
  switch (verb) {
    case 'list':
      if (ids.length > 0) throw new UsageError('hooks list takes no arguments');
      for (const hook of selected.hooks) printHook(streams, hook);
      for (const problem of selected.problems) say(problem);
      return EXIT.done;
    case 'approve':
    case 'refuse': {
      if (ids.length === 0) throw new UsageError(`hooks ${verb} takes the ids of hooks, as hooks list shows them`);
      const found = ids.map((id) => namedHook(id, selected.hooks));
      for (const entry of found) {
        await store.decide(entry.hook.hash, verb === 'approve' ? 'approved' : 'refused');
        printHook(streams, { ...entry, state: verb === 'approve' ? 'runs' : 'refused' });
      }
      return EXIT.done;
    }
    default:
      throw new UsageError('give hooks list, hooks approve ID… or hooks refuse ID…');
  }
}

/**
 * Returns the hook of a file whose hash begins with `id`.
 * @throws UsageError unless exactly one does
 */
function namedHook(id: string, all: readonly SelectedHook[]): SelectedHook {
  const found = all.filter(({ hook }) => hook.origin !== 'settings' && hook.hash.startsWith(id));
  const [one] = found;
  if (one === undefined || found.length > 1 || id === '') throw new UsageError(`no file here names one hook ${id}`);
  return one;
}

/**
 * Prints a hook as one line, followed by indented lines with the other facts that its hash covers. A line end in a file
 * is escaped, so that no text looks like another hook.
 */
function printHook({ stdout }: Streams, { hook, state }: SelectedHook): void {
  const { hash, event, matcher, shell, cwd, env, source } = hook;
  const about = matcher === '' ? event : `${event} (${matcher})`;
  const lines = [
    `${hash.slice(0, SHOWN_HASH)}  ${state.padEnd(8)}  ${about}  ${startedBy(hook)}  [${source}]`,
    ...(shell === undefined ? [] : [`    shell: ${shell}`]),
    ...(cwd === undefined ? [] : [`    working directory: ${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `    variable: ${name}=${value}`),
  ];
  for (const line of lines) printSentence(stdout, visibleName(line));
}

/** Returns the command of a hook: a shell line unchanged, the words of a program quoted. */
function startedBy({ command, args }: Hook): string {
  return args === undefined ? command : joinShellWords([command, ...args]);
}

/** Prints at the start of `exec` that hooks of files are not run until they are approved. */
export function sayProposed(all: readonly SelectedHook[], say: (line: string) => void): void {
  const proposed = all.filter(({ state }) => state === 'proposed');
  if (proposed.length === 0) return;
  const files = [...new Set(proposed.map(({ hook }) => hook.source))].join(', ');
  const what = proposed.length === 1 ? 'One hook is' : `${proposed.length} hooks are`;
  say(`${what} not run until you approve: see tiller hooks list (${files})`);
}
