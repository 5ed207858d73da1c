/** Reads the configuration of a thread from its rollout. */
import type { WireApi } from '../../protocol/providers.ts';
import type { Dialect } from '../../core/model/families.ts';
import { threadSettingsOf } from '../../core/agent/threadSettings.ts';
import type { RecordedPart, RecordedTurn } from '../../core/replay/recording.ts';
import type { ReplayScript } from '../../core/replay/script.ts';
import { rolloutPath } from '../../core/rollout/recorder.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import { isFromModel, type ResponseItem } from '../../protocol/responseItem.ts';
import type { ThreadHost, ThreadSettings } from '../../core/session/sessionOptions.ts';
import { DEFAULT_SETTINGS } from '../../protocol/settings.ts';

/** The default settings, which are used for everything that a recording does not contain. */
const DEFAULTS = threadSettingsOf(DEFAULT_SETTINGS, {
  model: '',
  cwd: '/',
  baseInstructions: null,
  review: 'after',
  sandboxFor: () => ({ box: 'none' }),
});

/** Returns the initial settings of the recorded part of the thread. `given.turn`: the turn to replay. */
export function startOf(
  { meta, lines }: ReplayScript,
  part: RecordedPart,
  given: Pick<ThreadHost, 'models'> &
    Required<Pick<ThreadHost, 'replaceTool' | 'listedSkills'>> & { readonly turn: () => RecordedTurn | undefined },
): readonly [settings: ThreadSettings, host: ThreadHost] {
  const { started } = part;
  const settings: TurnSettings = part.turns[0]?.settings ?? {
    model: started.model,
    effort: null,
    summary: 'auto',
    cwd: started.cwd,
    approvalPolicy: started.approvalPolicy,
    sandboxPolicy: { type: 'danger-full-access' },
    box: started.box,
  };
  return [
    {
      turn: settings,
      limits: {
        ...DEFAULTS.limits,
        get maxToolRounds() {
          return given.turn()?.pausedAfter ?? Number.MAX_SAFE_INTEGER;
        },
        maxAttempts: 1,
        compactionTokens: 0,
        projectDocMaxBytes: Number.MAX_SAFE_INTEGER,
        undoMaxBytes: 0,
      },
      prompt: {
        ...DEFAULTS.prompt,
        baseInstructions: meta.instructions,
        skillTokens: Number.MAX_SAFE_INTEGER,
        showRawReasoning: false,
      },
      tools: {
        ...DEFAULTS.tools,
        saveBeforeCommands: 'never',
        problemsAfterPatch: 'off',
        unreadable: [],
        memory: usesMemories(lines),
      },
      // No sub-agent is started: every call is answered from the recording.
      agents: { ...DEFAULTS.agents, tools: agentToolsIn(lines), sideCopies: 'never' },
      // Approvals of a model are recorded, too.
      approvals: { reviewer: 'user', reviewerModel: null },
    },
    {
      models: given.models,
      modelsOf: () => given.models,
      replaceTool: given.replaceTool,
      listedSkills: given.listedSkills,
      sandboxFor: () => sandboxOf(given.turn()?.settings ?? settings),
      keepsSettings: true,
      isTrusted: () => true,
      interactive: part.interactive,
    },
  ];
}

/**
 * Derives whether memories were on, because no line records the setting: they were if memories were listed to the
 * model, or if it has read one.
 */
function usesMemories(lines: readonly string[]): boolean {
  return lines.some(
    (line) =>
      (line.includes('"type":"response_item"') && line.includes('"<thread_memories>')) ||
      (line.includes('"type":"file_lookup"') && line.includes('"action":"memory"')),
  );
}

const AGENT_CALL = /"type":"function_call",.*?"name":"(?:spawn_agent|send_input|wait|resume_agent|close_agent)"/;

/**
 * Derives which tools for sub-agents were offered, because no line records the setting: all of them if the model called
 * one of the others.
 */
function agentToolsIn(lines: readonly string[]): ThreadSettings['agents']['tools'] {
  return lines.some((line) => line.includes('"type":"response_item"') && AGENT_CALL.test(line)) ? 'all' : 'task';
}

function sandboxOf({ box, noSandboxCause }: TurnSettings) {
  return { box, ...(noSandboxCause === undefined ? {} : { noSandboxCause }) };
}

/** Returns TILLER_HOME of the recording. */
export function homeIn({ meta }: ReplayScript, { started }: RecordedPart): string {
  const relative = rolloutPath(meta.id, new Date(meta.timestamp));
  const file = started.rolloutPath?.replaceAll('\\', '/');
  return file?.endsWith(`/${relative}`) === true ? file.slice(0, -relative.length - 1) : '/home/user/.tiller';
}

/**
 * Returns the wire on which the responses were recorded. Items of Chat Completions and of Messages have no ids, and
 * reasoning of Messages is a block.
 */
export function wireOf(items: readonly ResponseItem[]): WireApi {
  if (items.some((item) => item.type === 'reasoning' && item.thinking_block !== undefined)) return 'messages';
  const modelItems = items.filter(isFromModel);
  return modelItems.length > 0 && modelItems.every((item) => !('id' in item) || item.id === undefined)
    ? 'chat'
    : 'responses';
}

/**
 * Returns the kind of server. Only a server that is known to take other tools than functions was sent such tools, and
 * has called them.
 */
export function dialectOf({ meta }: ReplayScript, items: readonly ResponseItem[]): Dialect {
  const isMore = (item: ResponseItem) =>
    item.type === 'custom_tool_call' ||
    item.type === 'local_shell_call' ||
    item.type === 'web_search_call' ||
    (item.type === 'reasoning' && item.encrypted_content != null);
  return meta.provider === 'openai' || items.some(isMore) ? 'openai' : 'plain';
}
