import type { TurnSettings } from '../../protocol/event.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from './line.ts';
import { parseLine, type ReadEntry } from './parseLine.ts';
import { threadIdIn } from './recorder.ts';

/**
 * Guesses the metadata of a rollout that has lost its first line, from the file name and the first turn, so that the
 * thread can still be opened. The provider and the instructions cannot be recovered.
 */
export function guessMeta(lines: readonly string[], path: string): SessionMeta | undefined {
  const id = threadIdIn(path);
  if (id === path) return undefined;
  for (const line of lines) {
    const entry = parseLine(line);
    const settings = settingsIn(entry);
    if (entry === undefined || settings === undefined) continue;
    return {
      format: ROLLOUT_FORMAT,
      version: versionIn(lines),
      id,
      timestamp: entry.timestamp,
      cwd: settings.cwd,
      originator: 'cli',
      tiller_version: '',
      model: settings.model,
      provider: '',
      instructions: '',
    };
  }
  return undefined;
}

/** Returns true for a head that was made up because the line with it is lost. */
export function isGuess({ provider }: Pick<SessionMeta, 'provider'>): boolean {
  return provider === '';
}

function settingsIn(entry: ReadEntry | undefined): TurnSettings | undefined {
  if (entry?.type === 'turn_context') return entry.payload;
  const msg = entry?.type === 'event_msg' ? entry.payload.msg : undefined;
  return msg?.type === 'turn_started' ? msg.settings : undefined;
}

/** Read from the damaged line if possible, so that a thread of a newer Tiller stays read-only. */
function versionIn(lines: readonly string[]): number {
  const damaged = lines.find((line) => line.includes('"session_meta"'));
  return Number(/"version":(\d+)/.exec(damaged ?? '')?.[1] ?? ROLLOUT_VERSION);
}
