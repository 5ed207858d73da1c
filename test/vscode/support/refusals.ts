import { type ReadRefusals, refusalsOf } from '../../../src/core/tools/files/readGuard.ts';
import type { EditorPlace } from './editorPlace.ts';

/** Refuses all files that are called `.env`, by their path alone. */
export const refusesEnv: ReadRefusals = async (files) =>
  new Map(files.filter((file) => file.endsWith('.env')).map((file) => [file, '.env may not be read']));

export const refusesNothing: ReadRefusals = async () => new Map();

/** Refuses as the product does, by all names of a file, in the folder of a test. `unreadable`: the setting. */
export function refusalsIn({ root, workspace }: EditorPlace, unreadable: readonly string[] = []): ReadRefusals {
  const thread = { id: 't', home: `${root}-home`, unreadable };
  const host = { platform: 'linux' as const, homeDirectory: '/home/u' };
  return (files) => refusalsOf(files, { settings: { cwd: root }, thread, host, workspace });
}
