import type { Workspace } from '../../ports.ts';
import { abortable } from '../../util/abort.ts';
import type { ToolHandler, ToolOptions } from '../handler.ts';
import { savingFirst } from '../savingFirst.ts';
import type { ToolProvider } from '../toolProvider.ts';
import { runTests, testCommandsIn } from './runTests.ts';

/** A folder that is searched for test commands. */
export interface TestPlace {
  readonly workspace: Pick<Workspace, 'readBytes'>;
  /** The working directory of the next turn. */
  readonly cwd: () => string;
}

/** `run_tests`, while the working directory names a test command when a turn starts. */
export function testTools(
  options: Pick<ToolOptions, 'rules' | 'environment' | 'allowedHosts' | 'saveBeforeCommands'>,
  { workspace, cwd }: TestPlace,
): ToolProvider {
  const tool: ToolHandler = savingFirst(runTests(options), options.saveBeforeCommands);
  const offered = [tool];
  /** A call of it returns the files that were searched for. */
  const answered = [{ ...tool, spec: undefined }];
  let tools: readonly ToolHandler[] = answered;
  return {
    id: 'tests',
    needsTrust: true,
    tools: () => tools,
    async ready(signal) {
      const commands = await abortable(testCommandsIn(cwd(), workspace), signal);
      tools = commands.length > 0 ? offered : answered;
      return undefined;
    },
  };
}
