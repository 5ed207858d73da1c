import type { SandboxMechanism } from '../../protocol/policy.ts';
import type { Confinement, HostLimits } from '../ports.ts';
import { confine, unreadablePaths } from '../sandbox/confinement.ts';
import { skillFolder, temporaryFolder } from '../sandbox/temporary.ts';
import type { ToolContext } from './handler.ts';

/**
 * The sandbox of a command of this thread. The temporary folder belongs to the thread and outlives the command. `hosts`:
 * what it may reach without network.
 */
export function confinementOf(
  box: SandboxMechanism,
  { settings, host, thread }: Pick<ToolContext, 'settings' | 'host' | 'thread'>,
  hosts?: HostLimits,
): Confinement {
  return confine(box, settings.sandboxPolicy, {
    cwd: settings.cwd,
    platform: host.platform,
    tmpdirVariable: host.environment.TMPDIR,
    temporaryFolder: temporaryFolder(thread),
    readable: [skillFolder(thread.home)],
    unreadable: unreadablePaths(thread.unreadable, host.homeDirectory, thread.home),
    unreadableGlobs: thread.unreadable,
    hosts,
  });
}
