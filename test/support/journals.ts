import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSettledJournal } from '../../src/node/apply/journal.ts';

/**
 * Returns the files in the journal folder of a home, without journals of settled patches whose files are flushed to the
 * disk.
 */
export function journalsIn(home: string): string[] {
  const folder = join(home, 'journal');
  return existsSync(folder) ? readdirSync(folder).filter((name) => !isSettledJournal(name)) : [];
}
