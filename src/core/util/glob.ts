import { escapeRegExp } from './escapeRegExp.ts';

/**
 * Translates a glob for a path with `/`: `*` and `?` stay within a name, `**` spans folders, `{a,b}` is one of several,
 * `[a-z]` one character. A pattern without `/` matches the last name of a path.
 */
export function globToRegExp(glob: string, flags = ''): RegExp {
  const anchored = glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`;
  let source = '';
  let depth = 0;
  for (const [token] of anchored.matchAll(/\*\*\/|\/\*\*(?=$|[,}])|\*+|\?|\[[^\]/]+\]|\{|\}|,|[^*?[{},/]+|\/|\[/g)) {
    if (token === '**/') source += '(?:.*/)?';
    else if (token === '/**') source += '/.*';
    else if (token.startsWith('*')) source += '[^/]*';
    else if (token === '?') source += '[^/]';
    else if (token.length > 2 && token.startsWith('[')) source += characterClass(token);
    else if (token === '{') {
      depth++;
      source += '(?:';
    } else if (token === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (token === ',' && depth > 0) source += '|';
    else source += escapeRegExp(token);
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, flags);
}

function characterClass(token: string): string {
  const inner = token.slice(1, -1).replace(/^!/, '^').replaceAll('\\', '\\\\');
  try {
    return new RegExp(`[${inner}]`).source;
  } catch {
    return escapeRegExp(token);
  }
}
