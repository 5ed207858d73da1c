import type { NoSideCopy } from '../../../protocol/item.ts';
import type { AgentSummary } from '../../../protocol/thread.ts';
import type { ReportedAgent } from './agents.ts';

type Status = Pick<AgentSummary, 'state' | 'lastMessage' | 'inSideCopy'>;

/** File names in one result. */
const MOST_NAMED = 20;

/** The first names, and how many more there are. */
export function namedChanges(changed: readonly string[]): readonly string[] {
  const more = changed.length - MOST_NAMED;
  return [...changed.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Adds to a message the facts about the place where the agent worked. */
export function withPlace(
  message: string,
  { inSideCopy, changedInCopy }: Pick<ReportedAgent, 'inSideCopy' | 'changedInCopy'>,
): string {
  return [message, ...(inSideCopy === true ? [copyNote(changedInCopy)] : [])]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** `changed`: `undefined` where it is not known. */
function copyNote(changed: readonly string[] | undefined): string {
  if (changed?.length === 0) return 'This agent worked in a side copy, in which no changes are left to bring home.';
  const files = changed === undefined ? '' : ` Changed there: ${namedChanges(changed).join(', ')}.`;
  return `This agent worked in a side copy.${files} What it changed is not in the workspace until the user brings it home, which the user is offered now: until then commands, tests and other agents in the workspace work without it. Do not do it again; say to the user what is to be brought home.`;
}

const WHY_NO_COPY: Record<NoSideCopy, string> = {
  other_folder: 'the working directory of this thread is in none of the folders that the window has open',
  untrusted: 'the user has not trusted the workspace',
  not_made: 'none could be made',
};

/**
 * Returns the note for the model about an agent that writes beside others without a side copy; '' for any other one.
 */
export function noCopyNote({ noSideCopy }: Pick<AgentSummary, 'noSideCopy'>): string {
  if (noSideCopy === undefined) return '';
  return `This agent has no side copy, because ${WHY_NO_COPY[noSideCopy]}: it works in the same folder as other agents that write, and each finds the others' unfinished changes.`;
}

/**
 * The status of an agent as a model reads it (codex-behaviour.md §11); `undefined`: an unknown agent. It must depend on
 * nothing else, because it is compared with the status that the model has read.
 */
export function statusForModel(agent: Status | undefined): unknown {
  switch (agent?.state) {
    case undefined:
      return 'not_found';
    case 'completed':
      return { completed: withPlace(agent.lastMessage ?? '', placeOf(agent)) || null };
    case 'errored':
      return { errored: withPlace(agent.lastMessage ?? '', placeOf(agent)) };
    case 'interrupted':
      return { errored: withPlace('Interrupted', placeOf(agent)) };
    case 'pending_init':
    case 'running':
    case 'shutdown':
      return agent.state;
  }
}

function placeOf({ inSideCopy }: Status): Pick<ReportedAgent, 'inSideCopy'> {
  return inSideCopy === undefined ? {} : { inSideCopy };
}

/** Nothing of it changes before it gets another message or is closed. */
export function isFinal({ state }: Pick<AgentSummary, 'state'>): boolean {
  return state !== 'pending_init' && state !== 'running';
}
