/** A process that pauses the command with the given pid, prints that it did, and never continues it. */
import { PausableCommands } from '../../src/node/process/pausing.ts';

async function run(): Promise<void> {
  const commands = new PausableCommands();
  commands.add({ pid: Number(process.argv[2]), exited: new Promise(() => {}) });
  const pause = await commands.pause();
  process.stdout.write(pause.isHeld() ? 'held\n' : 'not held\n');
  setInterval(() => {}, 1000);
}

void run();
