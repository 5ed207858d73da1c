import path from 'node:path';
import type { TurnSettings } from '../../protocol/event.ts';
import { providerNamed } from '../../protocol/knownProviders.ts';
import {
  type ReviewSetting,
  type SandboxMode,
  type SandboxPolicy,
  sandboxPolicySchema,
} from '../../protocol/policy.ts';
import type { ProviderSettings } from '../../protocol/providers.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ProviderConfig } from '../model/provider.ts';
import type { ApprovalSettings, ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';

/** The time and size limits of the settings, which apply to every server. */
export function limitsIn(settings: Settings) {
  return {
    streamIdleTimeoutMs: settings['stream.idleTimeoutMs'],
    progressTimeoutMs: settings['stream.progressTimeoutMs'] ?? undefined,
    maxErrorBytes: settings['stream.maxErrorBytes'],
    maxEventBytes: settings['stream.maxEventBytes'],
    maxResponseBytes: settings['stream.maxResponseBytes'],
  } satisfies Partial<ProviderConfig>;
}

/** The settings for the reviewer of approvals. */
export function approvalSettingsOf(settings: Settings): ApprovalSettings {
  return { reviewer: settings['approvals.reviewer'], reviewerModel: settings['approvals.reviewerModel'] };
}

/** The server that the settings name; `undefined` when they name none that is known. */
export function providerOf(settings: Settings): ProviderConfig | undefined {
  const named = providerNamed(settings, settings.provider);
  const limits = limitsIn(settings);
  if (settings.baseUrl !== null) {
    const { hostname } = new URL(settings.baseUrl);
    return { id: hostname, baseUrl: settings.baseUrl, wireApi: settings.wireApi ?? 'responses', ...limits };
  }
  if (!named) return undefined;
  return configOf(settings.provider, { ...named, wireApi: settings.wireApi ?? named.wireApi }, settings);
}

/** The provider with this id, as it is in a rollout: the one in use, else one of the settings or a built-in one. */
export function providerById(settings: Settings, id: string): ProviderConfig | undefined {
  const current = providerOf(settings);
  if (current?.id === id) return current;
  const named = providerNamed(settings, id);
  return named && configOf(id, named, settings);
}

/** A server with the limits that the settings have for all servers. */
export function configOf(id: string, named: ProviderSettings, settings: Settings): ProviderConfig {
  const { idleTimeoutMs, ...config } = named;
  const limits = limitsIn(settings);
  return { ...config, id, ...limits, streamIdleTimeoutMs: idleTimeoutMs ?? limits.streamIdleTimeoutMs };
}

/** Facts that a front door adds to the user's settings. */
export interface ThreadSurroundings {
  readonly model: string;
  /** Absolute. */
  readonly cwd: string;
  /** Further writable folders; relative paths start at `cwd`. */
  readonly writable?: readonly string[];
  /** Instead of Tiller's; `null` for none. */
  readonly baseInstructions: string | null;
  readonly review: ReviewSetting;
  readonly sandboxFor: ThreadHost['sandboxFor'];
}

/** The sandbox policy of the settings, or one of another mode with all other settings. */
export function sandboxPolicyOf(
  settings: Settings,
  { cwd, writable = [] }: Pick<ThreadSurroundings, 'cwd' | 'writable'>,
  mode: SandboxMode = settings['sandbox.mode'],
): SandboxPolicy {
  return sandboxPolicySchema.parse({
    type: mode,
    writableRoots: [...settings['sandbox.writableRoots'], ...writable].map((root) => path.resolve(cwd, root)),
    networkAccess: settings['sandbox.networkAccess'],
    excludeTmpdirEnvVar: settings['sandbox.excludeTmpdirEnvVar'],
    excludeSlashTmp: settings['sandbox.excludeSlashTmp'],
  });
}

/** The settings of the first turn of a thread. */
export function turnSettingsOf(
  settings: Settings,
  surroundings: Pick<ThreadSurroundings, 'model' | 'cwd' | 'writable' | 'sandboxFor'>,
): TurnSettings {
  const { model, cwd, sandboxFor } = surroundings;
  const sandboxPolicy = sandboxPolicyOf(settings, surroundings, settings.planMode ? 'read-only' : undefined);
  return {
    model,
    effort: settings['reasoning.effort'],
    summary: settings['reasoning.summary'],
    cwd,
    approvalPolicy: settings.approvalPolicy,
    sandboxPolicy,
    ...sandboxFor(sandboxPolicy),
    ...(settings.planMode ? { planMode: true as const } : {}),
  };
}

/** The one place where the settings of a thread are made. */
export function threadSettingsOf(settings: Settings, surroundings: ThreadSurroundings): ThreadSettings {
  return {
    turn: turnSettingsOf(settings, surroundings),
    limits: {
      maxToolRounds: settings.maxToolRounds,
      maxAttempts: settings['retry.maxAttempts'],
      compactionTokens: settings['compaction.tokenLimit'],
      caps: {
        turn: { tokens: settings['caps.turnTokens'], cost: settings['caps.turnCost'] },
        day: { tokens: settings['caps.dayTokens'], cost: settings['caps.dayCost'] },
        month: { tokens: settings['caps.monthTokens'], cost: settings['caps.monthCost'] },
      },
      projectDocMaxBytes: settings.projectDocMaxBytes,
      undoMaxBytes: settings['undo.maxBytes'],
    },
    prompt: {
      baseInstructions: surroundings.baseInstructions,
      userInstructions: settings.userInstructions,
      compaction: settings['compaction.prompt'],
      projectDocFallbackFilenames: settings.projectDocFallbackFilenames,
      skillTokens: settings['skills.maxTokens'],
      verbosity: settings.verbosity,
      showRawReasoning: settings['reasoning.showRaw'],
    },
    tools: {
      review: surroundings.review,
      environment: settings.environment,
      saveBeforeCommands: settings.saveBeforeCommands,
      problemsAfterPatch: settings.problemsAfterPatch,
      allowedHosts: settings['sandbox.allowedHosts'],
      webFetch: settings['web.fetch'],
      webSearch: settings['web.search'],
      unreadable: settings['sandbox.unreadable'],
      memory: settings['memory.enabled'],
    },
    agents: {
      tools: settings['agents.tools'],
      maxThreads: settings['agents.maxThreads'],
      maxDepth: settings['agents.maxDepth'],
      maxTokens: settings['agents.maxTokens'],
      maxRounds: settings['agents.maxRounds'],
      maxMinutes: settings['agents.maxMinutes'],
      sideCopies: settings['agents.sideCopies'],
    },
    approvals: approvalSettingsOf(settings),
  };
}
