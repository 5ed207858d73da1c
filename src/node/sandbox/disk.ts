/** What is where, for those who look at a tree that anybody may change meanwhile. Links are told, not followed. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';

/** None where nothing is, or where nobody may look. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function exists(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
}

/** `undefined` for what is not there, or may not be looked at. */
export function realOf(name: string): string | undefined {
  try {
    return realpathSync.native(name);
  } catch {
    return undefined;
  }
}
