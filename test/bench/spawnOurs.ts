// Starts commands from a process as large as an extension host. Prints one line of JSON; times in milliseconds.
import { commandsOf } from './commands.ts';

const [, , home = '', script = '', mebibytes = ''] = process.argv;
console.log(JSON.stringify(await commandsOf(home, script, Number(mebibytes))));
