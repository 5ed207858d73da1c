import { recoverJournals } from '../node/recovery.ts';

/**
 * A patch whose landing was cut by a kill is put back whole before anything else is done: nobody is here to be asked
 * whether to finish it instead (design decision 4, "finish" or "put back").
 */
export async function settleLandings(home: string, say: (line: string) => void): Promise<void> {
  for (const landing of await recoverJournals(home)) {
    const { leftAlone } = await landing.putBack();
    const paths = landing.changes.map(({ path }) => path);
    say(`a patch that was interrupted on ${landing.startedAt.toISOString()} was put back: ${paths.join(', ')}`);
    if (leftAlone.length > 0) say(`left alone, because somebody has changed them since: ${leftAlone.join(', ')}`);
  }
}
