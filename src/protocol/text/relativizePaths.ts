/**
 * Makes paths inside this folder relative in a sentence. A path that contains the folder's path in its middle is kept.
 */
export function insideOf(folder: string | undefined, sentence: string, instead = ''): string {
  if (folder === undefined || folder.length < 2) return sentence;
  return ['/', '\\'].reduce((text, separator) => {
    const parts = text.split(`${folder}${separator}`);
    return parts.reduce((before, after) => {
      // The escapes are “ and ‘.
      const isWhole = before === '' || /[\s'"\u201c\u2018(]$/.test(before);
      return `${before}${isWhole ? instead : `${folder}${separator}`}${after}`;
    });
  }, sentence);
}
