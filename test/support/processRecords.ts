import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the records of running commands in TILLER_HOME, as text. A file that is kept for the next command contains no
 * record.
 */
export function runningRecords(home: string): readonly string[] {
  const folder = join(home, 'processes');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.filter((text) => text.includes('"mark":'));
}
