/** The Regexps port: an expression runs in a context of its own, where V8 can stop it. */
import vm from 'node:vm';
import type { Regexps } from '../../core/ports.ts';

/** For one text. */
const LIMIT_MS = 1_000;

export function createRegexps(): Regexps {
  return {
    compile(pattern) {
      const expression = new RegExp(pattern, 'm');
      const place = vm.createContext({ expression, text: '' });
      const script = new vm.Script('expression.test(text)');
      return (text) => {
        place['text'] = text;
        try {
          return script.runInContext(place, { timeout: LIMIT_MS }) === true;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too_slow';
          throw error;
        }
      };
    },
  };
}
