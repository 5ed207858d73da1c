/** Reads a patch (apply_patch format) while the model is still writing it. */

export interface GrowingFile {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete';
  readonly added: number;
  readonly removed: number;
}

const KINDS = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

/** The last file is the one being written. An incomplete last line is not counted. */
export function patchProgress(patch: string): readonly GrowingFile[] {
  const files: { path: string; kind: GrowingFile['kind']; added: number; removed: number }[] = [];
  for (const line of patch.split('\n').slice(0, -1)) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined)
      files.push({ path: path.trim(), kind: KINDS[verb as keyof typeof KINDS], added: 0, removed: 0 });
    else if (file !== undefined && line.startsWith('+')) file.added++;
    else if (file !== undefined && line.startsWith('-')) file.removed++;
  }
  return files;
}
