import { randomUUID } from 'node:crypto';

/** In the environment of a command, and so of everything that it starts: by it `kill` finds them wherever they went. */
export interface ProcessMark {
  /** `NAME=value`, unlike that of any other command. */
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
}

const NAME = 'TILLER_PROCESS_MARK';

export function newMark(): ProcessMark {
  const value = randomUUID();
  return { text: `${NAME}=${value}`, env: { [NAME]: value } };
}
