/**
 * A sentence with the paths of this folder as one speaks of them there. A path that only has the folder's in its middle
 * stays whole.
 */
export function insideOf(folder: string | undefined, sentence: string, instead = ''): string {
  if (folder === undefined || folder.length < 2) return sentence;
  return ['/', '\\'].reduce((said, separator) => {
    const parts = said.split(`${folder}${separator}`);
    return parts.reduce((before, after) => {
      const isWhole = before === '' || /[\s'"“‘(]$/.test(before);
      return `${before}${isWhole ? instead : `${folder}${separator}`}${after}`;
    });
  }, sentence);
}
