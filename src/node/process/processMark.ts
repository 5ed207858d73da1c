import { randomUUID } from 'node:crypto';

/** A variable in a command's environment, inherited by all its descendants: `kill` finds all its processes by it. */
export interface ProcessMark {
  /** `NAME=value`, unique to the command. */
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
}

const NAME = 'TILLER_PROCESS_MARK';

/** Makes a mark that no other command has. */
export function newMark(): ProcessMark {
  const value = randomUUID();
  return { text: `${NAME}=${value}`, env: { [NAME]: value } };
}
