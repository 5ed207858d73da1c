/** True when an absolute, normalized POSIX path is the folder itself or inside it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}
