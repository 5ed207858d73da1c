/** Whether an absolute, normalised POSIX path is the folder itself or lies inside of it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}
