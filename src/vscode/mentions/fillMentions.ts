/** The text of mentions that are no files, taken when the message is sent. */
import * as vscode from 'vscode';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { abortable } from '../../core/util/abort.ts';
import { truncateMiddle } from '../../core/util/tokens.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import type { Mention, MentionKind, UserInput } from '../../protocol/item.ts';
import { uriOf } from '../workspace/places.ts';
import { changeText } from '../workspace/gitChanges.ts';
import { problemText } from './problems.ts';
import { wholeSymbol } from './symbols.ts';
import type { TerminalOutput } from './terminalOutput.ts';

export interface FillMentionsDeps {
  readonly terminals: Pick<TerminalOutput, 'textOf'>;
  /** Resolves to the text without secrets, see `redactPrinted`. Never rejects. */
  readonly redact: (text: string, cwds: readonly string[]) => Promise<string>;
  /** A stored thread as Markdown; `undefined` when it is gone. */
  readonly exportThread: (threadId: string) => Promise<string | undefined>;
  readonly refusals: ReadRefusals;
  /** The changes in the side copy of the message's thread; absent for a thread in the workspace. */
  readonly copyChanges?: CopyChanges | undefined;
  /** The text of a resource of an MCP server; `undefined` when it has none. @throws Error with the reason */
  readonly readResource: (id: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** Resolves to the changes of a thread in a side copy, which git's changes of the workspace do not contain. */
export type CopyChanges = (refusals: ReadRefusals, signal: AbortSignal) => Promise<string | undefined>;

/** Maximum estimated tokens of a thread: its beginning and its end, because the middle matters least. */
const THREAD_TOKENS = 8_000;

/** Returns true if the mention is still without its content. */
export function isUnfilled(part: UserInput): part is Mention {
  if (part.type !== 'mention' || part.text !== undefined || part.sent !== undefined) return false;
  return part.kind === 'symbol' || (part.kind !== undefined && part.path === '');
}

/**
 * Fills in texts, and the lines of symbols. A mention that cannot be read is refused with the reason. Never rejects; a
 * part that is not filled in when the signal aborts is refused.
 */
export async function fillMentions(
  input: readonly UserInput[],
  deps: FillMentionsDeps,
  signal: AbortSignal,
): Promise<readonly UserInput[]> {
  return Promise.all(
    input.map(async (part): Promise<UserInput> => {
      if (!isUnfilled(part)) return part;
      try {
        return await abortable(filled(part, deps, signal), signal);
      } catch (error) {
        const isLate = signal.aborted;
        return refused(part, isLate ? vscode.l10n.t('it took too long to read') : messageOf(error));
      }
    }),
  );
}

async function filled(part: Mention, deps: FillMentionsDeps, signal: AbortSignal): Promise<Mention> {
  if (part.kind === 'symbol') {
    const { name, id = name, path, lines = { first: 1, last: 1 } } = part;
    return { ...part, lines: await wholeSymbol(uriOf(path), id, lines) };
  }
  const text = await textOf(part, deps, signal);
  return text === undefined ? refused(part, nothing(part.kind, deps)) : { ...part, text };
}

async function textOf(part: Mention, deps: FillMentionsDeps, signal: AbortSignal): Promise<string | undefined> {
  switch (part.kind) {
    case 'problems':
      return problemText(deps.refusals);
    case 'changes':
      return deps.copyChanges === undefined ? changeText(deps.refusals) : deps.copyChanges(deps.refusals, signal);
    case 'terminal': {
      const printed = deps.terminals.textOf(part.id ?? '');
      return printed && deps.redact(printed.text, printed.cwds);
    }
    case 'thread': {
      const exported = await deps.exportThread(part.id ?? '');
      // The model of that thread may have been allowed to read a file once; the one of this thread was not.
      return exported === undefined ? undefined : truncateMiddle(await deps.redact(exported, []), THREAD_TOKENS);
    }
    case 'resource':
      return deps.readResource(part.id ?? '', signal);
    default:
      return undefined;
  }
}

/** The reason why there is no content, as a clause. */
function nothing(kind: MentionKind | undefined, { copyChanges }: Pick<FillMentionsDeps, 'copyChanges'>): string {
  switch (kind) {
    case 'problems':
      return vscode.l10n.t('there are no problems');
    case 'changes':
      if (copyChanges !== undefined) return vscode.l10n.t('the side copy has no changes');
      return vscode.l10n.t('git has no changes');
    case 'terminal':
      return vscode.l10n.t('the terminal is closed');
    case 'thread':
      return vscode.l10n.t('the thread is deleted');
    case 'resource':
      return vscode.l10n.t('the resource has no text');
    default:
      return vscode.l10n.t('there is nothing to attach');
  }
}

function refused(part: Mention, reason: string): Mention {
  return { ...part, sent: { type: 'refused', reason } };
}
