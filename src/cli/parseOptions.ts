import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage.ts';

/** As `parseArgs`, where a mistake is one sentence. @throws UsageError */
export function parseOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new UsageError(sentence ?? 'the arguments cannot be read');
  }
}
