/** The Regexps port: an expression runs in a context of its own, where V8 can stop it. */
import vm from 'node:vm';
import type { Regexps } from '../../core/ports.ts';

/** For one text. */
const LIMIT_MS = 1_000;

export function createRegexps(limitMs = LIMIT_MS): Regexps {
  return {
    compile(pattern) {
      const expression = new RegExp(pattern);
      const sandbox = vm.createContext({ expression, text: '' });
      // By lines, as ripgrep does: a match does not span two of them. The end of the last line begins no other one.
      const script = new vm.Script(
        "text !== '' && text.replace(/\\r?\\n$/, '').split(/\\r?\\n/).some((line) => expression.test(line))",
      );
      return (text) => {
        sandbox['text'] = text;
        try {
          return script.runInContext(sandbox, { timeout: limitMs }) === true;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too_slow';
          throw error;
        }
      };
    },
  };
}
