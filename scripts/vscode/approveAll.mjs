// Approves every request with its button until the turn has ended.
import { setTimeout as sleep } from 'node:timers/promises';

const ENDED = '[data-testid=turn]:not([data-status=running])';
const COMPLETED = '[data-testid=turn][data-status=completed]';

/**
 * Resolves with true if the turn completed. Rejects if it has not ended within the time.
 * @param {import('playwright-core').FrameLocator} chat  the panel
 * @param {{ limitMs: number, onAsked?: (question: string, button: string) => Promise<void> | void }} options
 */
export async function approveAll(chat, { limitMs, onAsked = () => {} }) {
  const approve = chat.getByTestId('decision-approve');
  const deadline = Date.now() + limitMs;
  await chat.getByTestId('turn').first().waitFor({ timeout: 30_000 });
  while ((await chat.locator(ENDED).count()) === 0) {
    if (Date.now() > deadline) throw new Error(`The task did not end within ${limitMs / 1000} seconds.`);
    if (await approve.isVisible()) {
      const question = await chat.getByTestId('dock').getByRole('heading').first().innerText();
      const [button = ''] = (await approve.innerText()).split('\n');
      await onAsked(question, button);
      await approve.click();
      await approve.waitFor({ state: 'hidden', timeout: 5000 }).catch(() => {});
    }
    await sleep(100);
  }
  return (await chat.locator(COMPLETED).count()) > 0;
}
