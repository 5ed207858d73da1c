import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import type { Workbench } from '../../../scripts/vscode/page.mjs';

/** Waits for the chat in an editor tab. Resolves to its frame. */
export async function untilInEditor({ page }: Workbench): Promise<Frame> {
  let found: Frame | undefined;
  const isFound = async () => {
    for (const frame of page.frames()) {
      // A frame may be detached at any moment.
      const place = await frame.evaluate('document.body?.dataset.place').catch(() => undefined);
      if (place === 'editor') found = frame;
    }
    return found !== undefined;
  };
  await expect.poll(isFound, { timeout: 20_000 }).toBe(true);
  if (found === undefined) throw new Error('No chat is in an editor tab.');
  return found;
}
