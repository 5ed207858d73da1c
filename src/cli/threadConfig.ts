import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProviderConfig } from '../core/model/provider.ts';
import { resolveBox } from '../core/sandbox/box.ts';
import type { ThreadConfig } from '../core/session/sessionManager.ts';
import { sandboxPolicySchema } from '../protocol/policy.ts';
import { BUILTIN_PROVIDERS, type Settings } from '../protocol/settings.ts';
import { UsageError } from './usage.ts';

/** The server that the settings name. @throws UsageError */
export function providerConfig(settings: Settings): ProviderConfig {
  const known = settings.providers[settings.provider] ?? BUILTIN_PROVIDERS[settings.provider];
  if (!known && settings.baseUrl === null) throw new UsageError(`there is no provider "${settings.provider}"`);
  const own = settings.baseUrl === null ? known : undefined;
  const { hostname } = new URL(settings.baseUrl ?? known?.baseUrl ?? '');
  return {
    id: own ? settings.provider : hostname,
    baseUrl: settings.baseUrl ?? known?.baseUrl ?? '',
    wireApi: settings.wireApi ?? own?.wireApi ?? 'responses',
    headers: own?.headers,
    queryParams: own?.queryParams,
    auth: own?.auth,
    streamIdleTimeoutMs: settings['stream.idleTimeoutMs'],
  };
}

/** Everything about a thread that settings decide. @throws UsageError for a file that cannot be read. */
export async function threadConfig(
  settings: Settings,
  given: {
    readonly model: string;
    readonly cwd: string;
    readonly writable: readonly string[];
    readonly interactive: boolean;
    readonly provider: ProviderConfig;
  },
): Promise<ThreadConfig> {
  const sandboxPolicy = sandboxPolicySchema.parse({
    type: settings['sandbox.mode'],
    writableRoots: [...settings['sandbox.writableRoots'], ...given.writable].map((root) =>
      path.resolve(given.cwd, root),
    ),
    networkAccess: settings['sandbox.networkAccess'],
    excludeTmpdirEnvVar: settings['sandbox.excludeTmpdirEnvVar'],
    excludeSlashTmp: settings['sandbox.excludeSlashTmp'],
  });
  return {
    settings: {
      model: given.model,
      effort: settings['reasoning.effort'],
      summary: settings['reasoning.summary'],
      cwd: given.cwd,
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy,
      box: resolveBox(sandboxPolicy),
    },
    provider: given.provider,
    boxFor: resolveBox,
    baseInstructions:
      settings.baseInstructionsFile === null ? null : await readInstructions(settings.baseInstructionsFile),
    userInstructions: settings.userInstructions,
    // Nobody sits at this door to review before a patch lands: it lands, and the diff is in the events.
    review: 'after',
    interactive: given.interactive,
    showRawReasoning: settings['reasoning.showRaw'],
    maxToolRounds: settings.maxToolRounds,
    maxAttempts: settings['retry.maxAttempts'],
    projectDocMaxBytes: settings.projectDocMaxBytes,
  };
}

async function readInstructions(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`baseInstructionsFile: ${error instanceof Error ? error.message : String(error)}`);
  }
}
