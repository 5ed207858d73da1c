/** Lookups in a tree that other processes may change meanwhile. Links are reported, not followed. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';

/** Empty for a missing or unreadable folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** True also for a link whose target is missing. */
export function exists(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
}

/** `undefined` for a missing or inaccessible path. */
export function realOf(name: string): string | undefined {
  try {
    // Most names that are asked for are missing, and an error costs ten times as much as a look.
    return lstatSync(name, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(name);
  } catch {
    return undefined;
  }
}
