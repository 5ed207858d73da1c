import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ports } from '../../src/core/ports.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './startScenario.ts';
import { type TempFolder, tempFolder } from './tempFolder.ts';

export interface HomeScenario extends AsyncDisposable {
  readonly chat: Scenario;
  /** The home directory of the user. */
  readonly user: TempFolder;
  /** The ports of a process with this home directory and without environment variables. */
  readonly ports: Ports;
}

/** Starts a chat whose user has a separate home directory. */
export async function startInHome(options: ScenarioOptions): Promise<HomeScenario> {
  const user = tempFolder();
  let ports: Ports | undefined;
  const chat = await startScenario({
    ...options,
    deps: (real) => {
      ports = { ...real, host: { ...real.host, homeDirectory: user.path, environment: {} } };
      return options.deps?.(real) ?? {};
    },
  });
  if (ports === undefined) throw new Error('The scenario has no ports.');
  return {
    chat,
    user,
    ports,
    async [Symbol.asyncDispose]() {
      await chat[Symbol.asyncDispose]();
      user[Symbol.dispose]();
    },
  };
}

/** Writes a file, and creates the folders that contain it. */
export function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
