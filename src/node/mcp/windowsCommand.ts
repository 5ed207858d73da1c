/**
 * Commands on Windows: `npx` and its like are scripts (`npx.cmd`), which Node does not start; cmd.exe does. The quoting
 * is that of cross-spawn 7.0.6 (lib/util/escape.js), but all backslashes before a quote are doubled, as "Everyone
 * quotes command line arguments the wrong way" of Microsoft says.
 */
import { win32 } from 'node:path';
import type { ExecRequest } from '../../core/ports.ts';

/** Characters that cmd.exe gives a meaning outside of quotes; `%` and `!` also inside. */
const META = /[()\][%!^"`<>&|;, *?]/g;
const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

type Started = Pick<ExecRequest, 'argv' | 'verbatimArguments'>;

/** `exists`: whether there is such a file; `cwd` is absolute. A program that is not found is left as it is. */
export function windowsCommand(
  argv: ExecRequest['argv'],
  { cwd, env }: Pick<ExecRequest, 'cwd' | 'env'>,
  exists: (file: string) => boolean,
): Started {
  const [program, ...args] = argv;
  const variable = (name: string) => Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const found = candidates(program, cwd, variable('PATH'), variable('PATHEXT')).find(exists);
  if (found === undefined || !/\.(?:cmd|bat)$/i.test(found)) return { argv };
  // Scripts of npm read their arguments a second time.
  const isShim = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(found);
  const line = [win32.normalize(program).replaceAll(META, '^$&'), ...args.map((arg) => quoted(arg, isShim))].join(' ');
  return { argv: [variable('COMSPEC') ?? 'cmd.exe', '/d', '/s', '/c', `"${line}"`], verbatimArguments: true };
}

/** The files that a shell would search for, in its order. */
function candidates(program: string, cwd: string, path = '', extensions = DEFAULT_EXTENSIONS): readonly string[] {
  const hasFolder = /[\\/]/.test(program);
  const folders = hasFolder ? [cwd] : path.split(';').filter((folder) => folder !== '');
  const endings = ['', ...extensions.split(';')].filter((ending) => ending !== '' || win32.extname(program) !== '');
  return folders.flatMap((folder) => endings.map((ending) => win32.resolve(folder, `${program}${ending}`)));
}

function quoted(arg: string, isReadTwice: boolean): string {
  // Backslashes before a quote are doubled: they would escape it.
  const text = arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1');
  const once = `"${text}"`.replaceAll(META, '^$&');
  return isReadTwice ? once.replaceAll(META, '^$&') : once;
}
