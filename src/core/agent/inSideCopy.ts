import type { Ports } from '../ports.ts';
import type { ThreadSettings } from '../session/sessionOptions.ts';

/**
 * Returns the settings and services for a thread whose working directory is in a side copy: its tools find the folders
 * of the copy open, in place of those of the workspace, and a note says so to the model. Without language servers: they
 * know the workspace only, and a rename of theirs would change it. Unchanged for any other thread.
 */
export function inSideCopy(
  thread: ThreadSettings,
  ports: Ports,
): { readonly thread: ThreadSettings; readonly ports: Ports } {
  const folders = ports.sideCopies?.foldersAround(thread.turn.cwd);
  if (folders === undefined) return { thread, ports };
  const { userInstructions } = thread.prompt;
  const note = noteFor(folders);
  const { languages: _, ...others } = ports;
  const { workspace } = others;
  return {
    thread: {
      ...thread,
      prompt: { ...thread.prompt, userInstructions: userInstructions === '' ? note : `${userInstructions}\n\n${note}` },
    },
    ports: {
      ...others,
      workspace: {
        ...workspace,
        roots: folders.map(({ copy }) => copy),
        // The user reviews the changes when they come home.
        apply: (changes, signal, origin) =>
          workspace.apply(changes, signal, origin && { turnId: origin.turnId, itemId: origin.itemId }),
      },
    },
  };
}

function noteFor(folders: readonly { readonly home: string; readonly copy: string }[]): string {
  const pairs = folders.map(({ home, copy }) => `${copy} is a copy of ${home}`).join(', ');
  return `You work in a side copy: ${pairs}. Read and change files in the copy only; the user reviews the changes and brings them home later. Ignored folders such as node_modules may be links to the original: they can be read, not written.`;
}
