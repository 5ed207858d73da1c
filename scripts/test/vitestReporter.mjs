// Writes the outcome of each test, as it ends, to the file named by TILLER_TEST_OUTCOMES (outcomes.mjs).
import path from 'node:path';
import { root } from '../bootstrap.mjs';
import { writeOutcome } from './outcomes.mjs';

/** The counterexample of a property is valid even if it is found rarely: such a failure is not retried. */
const IS_FINAL = /^Property failed/;

export default class OutcomeReporter {
  /** @readonly */
  #file = process.env.TILLER_TEST_OUTCOMES ?? '';
  /** @readonly */
  #attempt = Number(process.env.TILLER_TEST_ATTEMPT ?? 1);
  /** By id, because some tests of a file have the same title. @readonly @type {Map<string, string>} */
  #names = new Map();

  onTestModuleCollected(module) {
    const seen = new Map();
    for (const { id, fullName } of module.children.allTests()) {
      const count = (seen.get(fullName) ?? 0) + 1;
      seen.set(fullName, count);
      this.#names.set(id, count === 1 ? fullName : `${fullName} (${count})`);
    }
  }

  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state === 'pending') return;
    const message = errors.map(textOf).join('\n');
    this.#write(test.module, this.#names.get(test.id) ?? test.fullName, {
      state,
      ms: Math.round(test.diagnostic()?.duration ?? 0),
      ...(message && { message }),
      ...(state === 'failed' && errors.some((error) => IS_FINAL.test(error.message)) && { isFinal: true }),
    });
  }

  /** A failed hook leaves the tests of its suite without a result. */
  onTestSuiteResult(suite) {
    this.#writeErrors(suite.module, `a hook of "${suite.fullName}"`, suite.errors());
  }

  onTestModuleEnd(module) {
    this.#writeErrors(module, 'the file or a hook of it', module.errors());
  }

  onTestRunEnd(_modules, unhandled) {
    for (const error of unhandled) this.#writeErrors(undefined, `not handled: ${error.message}`, [error]);
  }

  #writeErrors(module, name, errors) {
    if (errors.length === 0) return;
    this.#write(module, name, { state: 'failed', message: errors.map(textOf).join('\n'), isBeside: true });
  }

  #write(module, name, outcome) {
    const file = module && path.relative(root, module.moduleId);
    const place = file === undefined ? { name } : { name: `${file}: ${name}`, file };
    writeOutcome(this.#file, { ...place, ...(this.#attempt > 1 && { attempt: this.#attempt }), ...outcome });
  }
}

function textOf({ message, stack, diff }) {
  return [stack ?? message, diff].filter(Boolean).join('\n');
}
