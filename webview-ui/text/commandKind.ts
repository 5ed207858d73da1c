/**
 * Determines the kind of a command by its first word. Commands that only read are labelled by what they read, because
 * "Read client.ts" is clearer than the `sed` command behind it. A command with any shell syntax is labelled as run.
 */
import { splitPath } from './fileLink.ts';

export type CommandKind =
  | { readonly type: 'read'; readonly names: readonly string[] }
  | { readonly type: 'search'; readonly pattern: string }
  | { readonly type: 'list' }
  | { readonly type: 'run' };

const RUN: CommandKind = { type: 'run' };

export function commandKindOf(command: string): CommandKind {
  if (/[|;&<>$`\n()]/.test(command.replace(/'[^']*'/g, ''))) return RUN;
  const [program, ...rest] =
    command.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) => word.replace(/^['"]|['"]$/g, '')) ?? [];
  const operands = rest.filter((word) => !word.startsWith('-'));
  switch (program) {
    case 'cat':
    case 'nl':
      return read(operands);
    case 'head':
    case 'tail':
      return rest.includes('-f') ? RUN : read(operands.filter((word) => !/^\d+$/.test(word)));
    case 'sed':
      return rest[0] === '-n' ? read(operands.slice(1)) : RUN;
    case 'rg':
    case 'grep':
      return operands[0] === undefined ? RUN : { type: 'search', pattern: operands[0] };
    case 'ls':
    case 'tree':
      return { type: 'list' };
    default:
      return RUN;
  }
}

function read(paths: readonly string[]): CommandKind {
  return paths.length === 0 ? RUN : { type: 'read', names: paths.map((path) => splitPath(path)[1] || path) };
}
