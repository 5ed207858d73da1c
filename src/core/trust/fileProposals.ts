/** Files that the user's own folders and a workspace hold for the model: agents, skills, prompt files. */
import { createHash } from 'node:crypto';
import type { Trust } from './trust.ts';

/** A file with a text for the model. */
export interface ProposingFile {
  readonly origin: 'user' | 'workspace';
  /** Absolute. */
  readonly source: string;
  readonly text: string | undefined;
  /** The reason why it has no text, as a clause. */
  readonly unread?: string;
}

/** A file of a workspace is `proposed` until the user has approved or refused it; one of the user is used. */
export type ProposalState = 'used' | 'proposed' | 'refused';

/** The hash of the file's path and text: an approval holds for exactly this. */
export function proposalHash({ source, text }: Pick<ProposingFile, 'source' | 'text'>): string {
  return createHash('sha256')
    .update(`${source}\n${text ?? ''}`)
    .digest('hex');
}

/**
 * True if a file of this state may have a name that another file, of state `holder`, has taken before it: one that is only
 * proposed never takes the place of another.
 */
export function mayTakeName(state: ProposalState, holder: ProposalState | undefined): boolean {
  return state === 'used' ? holder !== 'used' : holder === undefined;
}

const STATES = { approved: 'used', refused: 'refused', open: 'proposed' } as const;

/** The state of a file under the user's decision on it. */
export async function proposalState(
  { origin }: Pick<ProposingFile, 'origin'>,
  hash: string,
  trust: Pick<Trust, 'decisionOn'>,
): Promise<ProposalState> {
  if (origin === 'user') return 'used';
  return STATES[await trust.decisionOn(hash, 'proposal')];
}
