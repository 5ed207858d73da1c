/** Decides if a model may answer the question about a command for the user (docs/decisions/0079). */
import { allowsNetwork } from '../../protocol/policy.ts';
import { type CommandTree, classifyTree, commandsIn, type Surroundings, takeApart } from './commandTree.ts';
import { type Circumstances, containmentOf } from './decisionTable.ts';
import type { Argv } from './parseScript.ts';
import type { PolicyVerdict } from './policyVerdict.ts';
import type { LoadedRules } from './rules.ts';

/** A command that needs approval, as it was decided. */
export interface AskedCommand {
  readonly tree: CommandTree;
  /** The verdicts on its parts. */
  readonly parts: readonly Pick<PolicyVerdict, 'decision' | 'reason'>[];
  /** All rules that matched it or a part of it. */
  readonly matches: LoadedRules;
  readonly circumstances: Circumstances;
  readonly surroundings: Surroundings;
}

/**
 * True where only the approval policy `untrusted` asks, and the sandbox confines the command as it would under
 * `on-request`: without network, parsed to its last part, and with no part that can destroy work. A rule of the user that
 * asks is never answered by a model.
 */
export function mayBeReviewed({ tree, parts, matches, circumstances, surroundings }: AskedCommand): boolean {
  const { approvalPolicy, sandboxPolicy, sandboxPermissions } = circumstances;
  return (
    approvalPolicy === 'untrusted' &&
    containmentOf(circumstances) === 'sandboxed' &&
    sandboxPermissions === 'use_default' &&
    !allowsNetwork(sandboxPolicy) &&
    classifyTree(tree) === 'other' &&
    isParsed(tree, surroundings) &&
    matches.every(({ rule }) => rule.decision === 'allow') &&
    parts.every(({ decision, reason }) => decision !== 'prompt' || reason.id === 'untrusted')
  );
}

/** False where a part of it could not be read, so that its class is a guess, and where it writes into a file by redirection. */
function isParsed(tree: CommandTree, surroundings: Surroundings): boolean {
  if (tree.type !== 'opaque') return commandsIn(tree).every((command) => isParsed(command, surroundings));
  const plain = withoutHarmlessRedirections(tree.argv);
  const parsed = takeApart(plain, surroundings);
  return parsed.type === 'script' && parsed.commands.every((command) => isParsed(command, surroundings));
}

/** `2>&1` and `> /dev/null`, which write into no file. Commands of models often end with one. */
const HARMLESS_REDIRECTION = /(?<=\s)(?:2>&1|[12&]?>\s?\/dev\/null)(?=$|[\s;|])/g;

/** The script of a shell without them; the same words where the last one is no such script. */
function withoutHarmlessRedirections(argv: Argv): Argv {
  const last = argv.length - 1;
  return argv.map((word, at) => (at === last ? word.replaceAll(HARMLESS_REDIRECTION, '') : word));
}
