import { parseArgs, type ParseArgsConfig } from 'node:util';
import { messageOf } from '../core/util/fileErrors.ts';
import { UsageError } from './usage.ts';

/**
 * Parses options like `parseArgs`, but describes each error in one sentence.
 * @throws UsageError
 */
export function parseOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // Behind its first sentence Node describes how to pass the option as a positional argument.
    const [sentence] = messageOf(error).split(/\n|\. To specify /);
    throw new UsageError(sentence ?? 'the arguments cannot be read');
  }
}

/**
 * Parses options that are followed by `--` and the words of another command. The command is `undefined` if there is no
 * `--`.
 * @throws UsageError
 */
export function parseBeforeCommand<const Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: Options,
) {
  const end = argv.indexOf('--');
  const args = end === -1 ? argv : argv.slice(0, end);
  const { values, positionals } = parseOptions({ args: [...args], options, allowPositionals: true, strict: true });
  if (positionals.length > 0) throw new UsageError(`put the command after --: ${positionals.join(' ')}`);
  return { values, command: end === -1 ? undefined : argv.slice(end + 1) };
}
