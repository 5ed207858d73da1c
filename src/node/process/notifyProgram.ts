import { spawn } from 'node:child_process';
import { notificationArgument, requestNotification, turnNotification } from '../../core/agent/turnNotification.ts';
import type { ThreadUpdate } from '../../core/agent/liveThreads.ts';
import { withoutSecrets } from '../../core/tools/environment.ts';
import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import type { EnvironmentSettings } from '../../protocol/settings.ts';
import { spawnFailure } from './spawnFailure.ts';

interface NotifyProgramDeps {
  /** Read for each turn. An empty `notify` starts no program. */
  readonly settings: () => { readonly notify: readonly string[]; readonly environment: EnvironmentSettings };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<SecretRedactor, 'isIn'>;
  /** True while the user does not see requests: then the program is started for them, too. If absent, it never is. */
  readonly tellsRequests?: () => boolean;
  /** Called once, with the reason, for as long as the setting is the same. */
  readonly warn: (reason: string) => void;
}

/**
 * Starts the program of the setting `notify` at the end of each completed turn, with the turn as its last argument, and for
 * requests that the user does not see.
 */
export class NotifyProgram {
  readonly #deps: NotifyProgramDeps;
  #refused = '';

  constructor(deps: NotifyProgramDeps) {
    this.#deps = deps;
  }

  /** Resolves when the program has started or has been refused; never rejects. */
  async take(update: ThreadUpdate): Promise<void> {
    const { tellsRequests } = this.#deps;
    const notification =
      turnNotification(update) ?? (tellsRequests?.() === true ? requestNotification(update) : undefined);
    if (!notification) return;
    const { notify, environment } = this.#deps.settings();
    const [program, ...words] = notify;
    if (program === undefined) return;
    const argv = [program, ...words, notificationArgument(notification)] as const;
    const env = withoutSecrets(this.#deps.environment, environment.keep, this.#deps.redactor);
    const failure = await start(argv, notification.cwd, env).catch((error: unknown) => messageOf(error));
    const setting = JSON.stringify(notify);
    if (failure === undefined || setting === this.#refused) return;
    this.#refused = setting;
    this.#deps.warn(failure);
  }
}

/** Starts the program in a session of its own: it may outlive this process. Its output is discarded. */
function start(
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const [program, ...words] = argv;
  return new Promise((resolve) => {
    const refuse = (error: unknown) => resolve(spawnFailure(error, { argv, cwd }).message);
    try {
      const child = spawn(program, words, { cwd, env, stdio: 'ignore', detached: true });
      child.once('spawn', () => resolve(undefined));
      child.once('error', refuse);
      child.unref();
    } catch (error) {
      refuse(error);
    }
  });
}
