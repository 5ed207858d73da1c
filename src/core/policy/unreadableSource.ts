/** Files that commands may not read and a patch therefore may not take anything from: what it moves, it brings to light. */
import type { DecisionReason } from '../../protocol/policy.ts';
import type { FilePlace } from '../ports.ts';
import type { Platform } from './knownSafe.ts';
import { depthBelow } from './pathScope.ts';

/** Absolute paths, as they are named and as they really lie. */
export interface ReadScope {
  readonly unreadable: readonly string[];
  /** Shown to commands although a folder around them is unreadable. */
  readonly shown: readonly string[];
}

/** A file whose text or name a patch needs, with the place that it leads to. */
export interface PatchSource {
  readonly path: string;
  readonly place: FilePlace;
}

/** Why the first of them that may not be read keeps the patch from landing; nobody is asked. */
export function refuseUnreadable(
  sources: readonly PatchSource[],
  scope: ReadScope,
  platform: Platform,
): DecisionReason | undefined {
  for (const { path, place } of sources) {
    const hidden = [path, place.name, place.target].find((one) => isUnreadable(one, scope, platform));
    if (hidden === undefined) continue;
    const what = hidden === path ? path : `${path} leads to ${hidden}, which`;
    return {
      source: 'policy',
      id: 'unreadable-path',
      text: `${what} may not be read (sandbox.unreadable), so a patch may not change, move, replace or delete it. Only the user can do that.`,
    };
  }
  return undefined;
}

/** The innermost folder around it decides. */
export function isUnreadable(target: string, { unreadable, shown }: ReadScope, platform: Platform): boolean {
  return depthBelow(target, unreadable, platform) > depthBelow(target, shown, platform);
}
