import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The records of running commands in TILLER_HOME, as text. Files that are kept for the next command hold no mark. */
export function runningRecords(home: string): readonly string[] {
  const folder = join(home, 'processes');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.filter((text) => text.includes('"mark":'));
}
