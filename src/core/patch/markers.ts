/** The markers of the patch format (codex-behaviour.md §1.1). */
export const BEGIN_PATCH = '*** Begin Patch';
export const END_PATCH = '*** End Patch';
export const ADD_FILE = '*** Add File: ';
export const DELETE_FILE = '*** Delete File: ';
export const UPDATE_FILE = '*** Update File: ';
export const MOVE_TO = '*** Move to: ';
export const END_OF_FILE = '*** End of File';
export const ENVIRONMENT_ID = '*** Environment ID:';
export const CHUNK = '@@';
export const CHUNK_WITH_CONTEXT = '@@ ';

/** The header of a chunk in a unified diff, after `@@ `; a section heading may follow it. */
const LINE_NUMBERS = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

export function areLineNumbers(context: string): boolean {
  return LINE_NUMBERS.test(context);
}
