/** Translates the paths that the model uses to places on this machine (core/sandbox/temporary.ts). */
import path from 'node:path';
import type { TurnSettings } from '../../protocol/event.ts';
import type { PatchOperation } from '../patch/operation.ts';
import type { Workspace } from '../ports.ts';
import { isInSlashTmp, placeOnMachine, type Temporary, temporaryFolder, temporaryOf } from '../sandbox/temporary.ts';
import type { ToolContext, ToolThread } from './handler.ts';

type Context = Pick<ToolContext, 'settings' | 'thread'> & { readonly workspace: Pick<Workspace, 'roots' | 'realPath'> };

/** Returns the temporary folder of the thread, and where its commands see it under these settings. */
export function temporaryIn({
  settings,
  thread,
}: {
  readonly settings: TurnSettings;
  readonly thread: Pick<ToolThread, 'id' | 'home'>;
}): Temporary {
  return temporaryOf(settings.box, settings.sandboxPolicy, temporaryFolder(thread), settings.cwd);
}

/** The place that sandboxed commands of the thread find under an absolute path. */
export async function seenByCommands(place: string, context: Context): Promise<string> {
  const temporary = temporaryIn(context);
  if (!isInSlashTmp(place, temporary)) return place;
  const { settings, workspace } = context;
  const { sandboxPolicy } = settings;
  const listed = sandboxPolicy.type === 'workspace-write' ? sandboxPolicy.writableRoots : [];
  const folders = [settings.cwd, ...listed, ...workspace.roots];
  // A folder that is reached by a link is visible in the sandbox at its real place.
  const real = await Promise.all(folders.map((folder) => workspace.realPath(folder).catch(() => folder)));
  return placeOnMachine(place, temporary, [...folders, ...real]);
}

/**
 * Replaces the paths of a patch by places on the machine. Paths that mean the same in the sandbox and outside are kept.
 */
export async function inTemporaryFolder(
  operations: readonly PatchOperation[],
  workdir: string,
  context: Context,
): Promise<readonly PatchOperation[]> {
  const placed = async (written: string): Promise<string> => {
    const place = path.resolve(workdir, written);
    const found = await seenByCommands(place, context);
    return found === place ? written : found;
  };
  return Promise.all(
    operations.map(async (operation): Promise<PatchOperation> => {
      const moved =
        operation.type === 'update' && operation.movedTo !== null ? { movedTo: await placed(operation.movedTo) } : {};
      return { ...operation, path: await placed(operation.path), ...moved };
    }),
  );
}
