/**
 * Files that commands may not read. A patch may not use them either, because moving a file would reveal its content.
 */
import type { DecisionReason } from '../../protocol/policy.ts';
import type { FilePlace } from '../ports.ts';
import type { Platform } from './knownSafe.ts';
import { depthIn } from './pathScope.ts';

/** Absolute paths, as named and resolved. */
export interface ReadScope {
  readonly unreadable: readonly string[];
  /** Visible to commands although a folder around them is unreadable. */
  readonly shown: readonly string[];
}

/** A file whose text or existence a patch needs, with its resolved place. */
export interface PatchSource {
  readonly path: string;
  readonly place: FilePlace;
}

/** The reason to refuse the patch for the first unreadable file; no approval can change it. */
export function refuseUnreadable(
  sources: readonly PatchSource[],
  scope: ReadScope,
  platform: Platform,
): DecisionReason | undefined {
  const [first] = unreadableAmong(sources, scope, platform);
  if (first === undefined) return undefined;
  const what = first.hidden === first.path ? first.path : `${first.path} leads to ${first.hidden}, which`;
  return {
    source: 'policy',
    id: 'unreadable-path',
    text: `${what} may not be read (sandbox.unreadable), so a patch may not change, move, replace or delete it. Only the user can do that.`,
  };
}

/** The sources that may not be read, each with the name that matched. */
export function unreadableAmong<Source extends PatchSource>(
  sources: readonly Source[],
  scope: ReadScope,
  platform: Platform,
): readonly (Source & { readonly hidden: string })[] {
  const isUnreadable = unreadableIn(scope, platform);
  return sources.flatMap((source) => {
    const { path, place } = source;
    const hidden = [...new Set([path, place.name, place.target])].find(isUnreadable);
    return hidden === undefined ? [] : [{ ...source, hidden }];
  });
}

/** The innermost folder around a path decides. */
export function unreadableIn({ unreadable, shown }: ReadScope, platform: Platform): (target: string) => boolean {
  const [hiddenAt, shownAt] = [depthIn(unreadable, platform), depthIn(shown, platform)];
  return (target) => {
    const depth = hiddenAt(target);
    return depth > 0 && depth > shownAt(target);
  };
}
