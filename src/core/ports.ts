/**
 * The ports: services that core needs from the outside. Core decides; each interface is implemented in `node/` or
 * `vscode/`.
 *
 * Each is in `ports/` with its types, and imported from here. Paths are absolute and in the notation of the host unless
 * stated otherwise. Every wait takes an `AbortSignal`.
 */
import type { SecretRedactor } from './util/secretRedactor.ts';
import type { BaselineStore } from './ports/baseline.ts';
import type { Languages, Problems } from './ports/editor.ts';
import type { Exec } from './ports/exec.ts';
import type { Clock, Fetch, Host, Ids, Images, Log, Regexps, Secrets, TextSearch } from './ports/machine.ts';
import type { AuditJournal, Locks, Storage } from './ports/storage.ts';
import type { Web } from './ports/web.ts';
import type { Workspace } from './ports/workspace.ts';

export type * from './ports/baseline.ts';
export type * from './ports/editor.ts';
export type * from './ports/exec.ts';
export type * from './ports/machine.ts';
export type * from './ports/storage.ts';
export * from './ports/web.ts';
export * from './ports/workspace.ts';

/** The places of side copies of the workspace. Look-ups are synchronous: each decision needs them. */
export interface SideCopyPlaces {
  /** Returns the same place in the workspace; the place itself where it is in no side copy. */
  homeOf(place: string): string;
  /** All folders of the side copy around a place, the first one first; `undefined` for a place elsewhere. */
  foldersAround(place: string): readonly { readonly home: string; readonly copy: string }[] | undefined;
  /**
   * Resolves to the paths in the workspace of the changes that the thread has made in its side copy and the user has
   * not brought home. `undefined` where it has no side copy. Rejects with the error of the disk, or the signal's
   * reason.
   */
  changedBy(threadId: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}

export interface Ports {
  /** Keys that Tiller holds: redacted in everything that is shown, recorded or sent to a model. */
  readonly keys: SecretRedactor;
  readonly workspace: Workspace;
  readonly exec: Exec;
  readonly storage: Storage;
  /** Absent where the changes of commands are not recorded. */
  readonly baseline?: BaselineStore;
  readonly audit: AuditJournal;
  readonly locks: Locks;
  readonly fetch: Fetch;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly host: Host;
  readonly regexps: Regexps;
  readonly textSearch?: TextSearch;
  readonly images: Images;
  readonly web: Web;
  /** Absent where there is no editor. */
  readonly problems?: Problems;
  /** Absent where no thread works in a side copy. */
  readonly sideCopies?: SideCopyPlaces;
  /** Absent where there is no editor. */
  readonly languages?: Languages;
}
