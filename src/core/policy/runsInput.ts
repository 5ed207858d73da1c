/** Commands that run their input, as `sh` does in `echo ls | sh`. */
import { programName } from './programs.ts';

/** Shells whose scripts are at least searched for danger. */
export const SHELLS: ReadonlySet<string> = new Set(['bash', 'zsh', 'sh', 'dash', 'ksh', 'ash', 'fish', 'su']);
/** Programs that run every line of their input. */
const LINE_RUNNERS: ReadonlySet<string> = new Set(['parallel', 'at', 'batch', 'crontab']);
/** Options that make `sudo` and `doas` start a shell. */
const SHELL_OPTION = /^(-[A-Za-z]*[si]|--shell|--login)$/;
const BECOME_SHELLS: ReadonlySet<string> = new Set(['sudo', 'doas']);
/** Options of `sudo` and `doas` whose value is the next word. */
const USER_OPTION = /^(-[A-Za-z]*[ugphCDRTUrt]|--user|--group|--prompt|--host|--chdir|--chroot)$/;
const SCRIPT_FLAG = /^-[A-Za-z]*c$/;
/** Options of shells whose value is the next word. */
const VALUE_OPTION = /^([-+][A-Za-z]*[oO]|--rcfile|--init-file)$/;
/** File arguments that are the input itself, or text of the script. */
const INPUT_FILE = /^(-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/(self|thread-self|\d+|\$\$)\/fd\/\d+|[<=]\(.*)$/s;

/** Returns true for an option behind which a shell or an interpreter expects a script, such as `-c`. */
export function isScriptFlag(word: string): boolean {
  return SCRIPT_FLAG.test(word);
}

/** Decides about one command that runs no other command; for wrappers and scripts, check the commands inside. */
export function runsInput(argv: readonly string[]): boolean {
  const [program = '', ...words] = argv;
  const name = programName(program);
  if (SHELLS.has(name)) return !words.some(isScriptFlag) && (name === 'su' || hasNoScriptFile(words));
  if (LINE_RUNNERS.has(name)) return true;
  if (name === '.' || name === 'source') return INPUT_FILE.test(words[0] ?? '');
  if (name === 'busybox' || name === 'toybox') return runsInput(words);
  // Its input becomes arguments of the command after it.
  if (name === 'xargs') return words.some((word) => SHELLS.has(programName(word)) || word === 'eval');
  return BECOME_SHELLS.has(name) && ownOptions(words, USER_OPTION).some((word) => SHELL_OPTION.test(word));
}

/** The options before the first operand, without their values. */
function ownOptions(words: readonly string[], valueOption: RegExp): readonly string[] {
  const options: string[] = [];
  for (let at = 0; words[at]?.startsWith('-') === true; at++) {
    const word = words[at] ?? '';
    options.push(word);
    if (valueOption.test(word)) at++;
  }
  return options;
}

function hasNoScriptFile(words: readonly string[]): boolean {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-' || word === '--') {
      at++;
      break;
    }
    if (/^-[A-Za-z]*s[A-Za-z]*$/.test(word)) return true;
    if (VALUE_OPTION.test(word)) at++;
    else if (!/^[-+]/.test(word)) break;
  }
  const file = words[at];
  return file === undefined || INPUT_FILE.test(file);
}
