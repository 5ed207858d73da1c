/**
 * Makes paths inside this folder relative in a sentence. A path that contains the folder's path in its middle is kept.
 */
export function insideOf(folder: string | undefined, sentence: string, instead = ''): string {
  if (folder === undefined || folder.length < 2) return sentence;
  return ['/', '\\'].reduce((text, separator) => {
    const parts = text.split(`${folder}${separator}`);
    return parts.reduce((before, after) => {
      // The escapes stand for “ and ‘.
      const isWhole = before === '' || /[\s'"\u201c\u2018(]$/.test(before);
      return `${before}${isWhole ? instead : `${folder}${separator}`}${after}`;
    });
  }, sentence);
}

/**
 * Returns the name of a folder in a workspace: relative to the workspace folder that contains it, which is named if
 * there are several. Returns `null` for the only workspace folder, and the path itself for a folder outside.
 */
export function folderInWorkspace(
  folder: string,
  workspaceFolders: readonly { readonly path: string; readonly name: string }[],
): string | null {
  const holders = workspaceFolders.filter(
    ({ path }) => folder === path || folder.startsWith(`${path}/`) || folder.startsWith(`${path}\\`),
  );
  const [holder] = holders.toSorted((one, other) => other.path.length - one.path.length);
  if (holder === undefined) return folder;
  const inside = folder.slice(holder.path.length + 1);
  const name = workspaceFolders.length > 1 ? [holder.name, inside].filter(Boolean).join('/') : inside;
  return name === '' ? null : name;
}
