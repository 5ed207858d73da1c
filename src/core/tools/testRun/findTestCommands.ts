/** Finds the test commands of a folder in the files of its tools. */
import { parse } from 'jsonc-parser';
import { joinShellWords } from '../../policy/shellWords.ts';
import { type RunnerName, runnerIn, TEST_RUNNERS } from './testRunners.ts';

export interface TestCommand {
  /** As a user would type it. */
  readonly command: string;
  /** The file that names it, and where in it. */
  readonly source: string;
  readonly runner?: RunnerName | undefined;
  /** Written between the command and the words of a part: npm takes no others. */
  readonly separator?: '--' | undefined;
  /** False where further words would not reach the runner: it is not the last command of a line. */
  readonly takesWords: boolean;
  /** Folders inside a project may have such a file, too: a command of a folder above takes precedence. */
  readonly mayBeInner?: true;
}

/** The text of a file of the folder; `undefined` where there is none. */
export type ReadManifest = (name: string) => string | undefined;

/** A package and the lock files of its manager. */
const PACKAGE = ['package.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'] as const;

interface Finder {
  /** Files that it reads; the first is the one that counts. */
  readonly files: readonly [string, ...string[]];
  readonly find: (text: string, read: ReadManifest) => readonly TestCommand[];
}

const plain = (file: string, command: string, runner?: RunnerName): Finder => ({
  files: [file],
  find: () => [{ command, source: file, runner, takesWords: runner !== undefined }],
});

/** `conftest.py`: pytest reads one in any folder of tests. */
const conftest = (file: string): Finder => ({
  files: [file],
  find: () => [{ ...pytest(file, 'pytest'), mayBeInner: true }],
});

/** In order of precedence. */
const FINDERS: readonly Finder[] = [
  { files: ['.vscode/tasks.json', ...PACKAGE], find: testTasks },
  { files: PACKAGE, find: packageTests },
  plain('pytest.ini', 'pytest', 'pytest'),
  { files: ['pyproject.toml', 'uv.lock', 'poetry.lock'], find: pythonTests },
  { files: ['setup.cfg'], find: (text) => (text.includes('[tool:pytest]') ? [pytest('setup.cfg', 'pytest')] : []) },
  { files: ['tox.ini'], find: (text) => (text.includes('[pytest]') ? [pytest('tox.ini', 'pytest')] : []) },
  conftest('conftest.py'),
  conftest('tests/conftest.py'),
  plain('go.mod', 'go test', 'go'),
  plain('Cargo.toml', 'cargo test', 'cargo'),
  plain('gradlew', './gradlew test'),
  plain('mvnw', './mvnw test'),
  plain('pom.xml', 'mvn test'),
  plain('.rspec', 'bundle exec rspec'),
  plain('mix.exs', 'mix test'),
  plain('Package.swift', 'swift test'),
  {
    files: ['Makefile'],
    find: (text) =>
      /^test\s*:/m.test(text) ? [{ command: 'make test', source: 'Makefile: test', takesWords: false }] : [],
  },
];

/** All files that are read, without duplicates. */
export const MANIFESTS: readonly string[] = [...new Set(FINDERS.flatMap(({ files }) => files))];

/** Names of the files that are searched for, for a model that gets no command. */
export const LOOKED_FOR: readonly string[] = [...new Set(FINDERS.map(({ files: [file] }) => file))];

/** The test commands of a folder, the one that counts first. Pure. */
export function findTestCommands(read: ReadManifest): readonly TestCommand[] {
  const found = FINDERS.flatMap(({ files: [file], find }) => {
    const text = read(file);
    return text === undefined ? [] : find(text, read);
  });
  return [...new Set(found.map(({ command }) => command))].flatMap((line) => {
    const same = found.filter(({ command }) => command === line);
    // A task `npm test` hides the program that the script runs.
    return same.find(({ takesWords }) => takesWords) ?? same.slice(0, 1);
  });
}

// ---------------------------------------------------------------- package.json

/** The test script that `npm init` writes. */
const PLACEHOLDER = /no test specified/;

function packageTests(text: string, read: ReadManifest): readonly TestCommand[] {
  const manifest = objectIn(parse(text));
  const scripts = objectIn(manifest['scripts']);
  const test = textIn(scripts['test']);
  const manager = managerIn(read);
  if (test !== undefined && !PLACEHOLDER.test(test)) return [scriptCommand('test', scripts, manager)];
  const known = { ...objectIn(manifest['dependencies']), ...objectIn(manifest['devDependencies']) };
  const runner = (['vitest', 'jest', 'mocha'] as const).find((name) => name in known);
  if (runner === undefined) return [];
  return [{ command: TEST_RUNNERS[runner].command, source: `package.json: ${runner}`, runner, takesWords: true }];
}

interface Manager {
  readonly run: (script: string) => string;
  readonly separator: '--' | undefined;
}

function managerIn(read: ReadManifest): Manager {
  const [name] = Object.entries({ pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock', bun: 'bun.lock' }).find(
    ([, file]) => read(file) !== undefined || read(`${file}b`) !== undefined,
  ) ?? ['npm'];
  if (name === 'npm')
    return { run: (script) => (script === 'test' ? 'npm test' : `npm run ${script}`), separator: '--' };
  return { run: (script) => `${name} run ${script}`, separator: undefined };
}

/** A script that only runs another one is followed, so that further words reach the runner. */
function scriptCommand(name: string, scripts: Readonly<Record<string, unknown>>, manager: Manager): TestCommand {
  let script = name;
  for (let depth = 0; depth < 3; depth++) {
    const [, next] =
      /^(?:npm run|pnpm(?: run)?|yarn(?: run)?|bun run) ([\w:.-]+)$/.exec((textIn(scripts[script]) ?? '').trim()) ?? [];
    if (next === undefined || textIn(scripts[next]) === undefined) break;
    script = next;
  }
  const line = textIn(scripts[script]) ?? '';
  const last = line.split(/&&|\|\||;|\|/).at(-1) ?? '';
  const runner = runnerIn(last);
  return {
    command: manager.run(script),
    source: `package.json: scripts.${script}`,
    runner: runner ?? runnerIn(line),
    separator: manager.separator,
    takesWords: runner !== undefined,
  };
}

// ---------------------------------------------------------------- Python

function pytest(source: string, command: string): TestCommand {
  return { command, source, runner: 'pytest', takesWords: true };
}

function pythonTests(text: string, read: ReadManifest): readonly TestCommand[] {
  if (!/\[tool\.pytest\b|["']pytest\b/.test(text)) return [];
  const runs = read('uv.lock') !== undefined ? 'uv run ' : read('poetry.lock') !== undefined ? 'poetry run ' : '';
  return [pytest('pyproject.toml', `${runs}pytest`)];
}

// ---------------------------------------------------------------- tasks of VS Code

/**
 * Tasks of the group `test`, the default one first. Left out: a task with variables other than the folder, and one that runs in
 * another folder or with an environment of its own.
 */
function testTasks(text: string, read: ReadManifest): readonly TestCommand[] {
  const { tasks, options } = objectIn(parse(text));
  if (!Array.isArray(tasks)) return [];
  const found = tasks.map(objectIn).flatMap((task) => {
    const { group } = task;
    const kind = typeof group === 'string' ? group : textIn(objectIn(group)['kind']);
    const isPlain = !isElsewhere({ ...objectIn(options), ...objectIn(task['options']) });
    const command = kind === 'test' && isPlain ? taskCommand(task, read) : undefined;
    if (command === undefined) return [];
    const source = `.vscode/tasks.json: ${textIn(task['label']) ?? command.command}`;
    return [{ command: { ...command, source }, isDefault: objectIn(group)['isDefault'] === true }];
  });
  return found.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault)).map(({ command }) => command);
}

/** True where a task runs in another folder than that of the workspace, or with variables of its own. */
function isElsewhere({ cwd, env }: Readonly<Record<string, unknown>>): boolean {
  return !isOwnFolder(cwd) || Object.keys(objectIn(env)).length > 0;
}

function isOwnFolder(folder: unknown): boolean {
  if (typeof folder !== 'string') return folder === undefined;
  return ['', '.', './', '${workspaceFolder}', '${workspaceRoot}'].includes(folder);
}

type TaskCommand = Omit<TestCommand, 'source'>;

function taskCommand(task: Readonly<Record<string, unknown>>, read: ReadManifest): TaskCommand | undefined {
  if (task['type'] === 'npm') {
    const script = textIn(task['script']);
    if (script === undefined || !isOwnFolder(task['path'])) return undefined;
    return scriptCommand(script, objectIn(objectIn(parse(read('package.json') ?? ''))['scripts']), managerIn(read));
  }
  const command = textIn(task['command']);
  const args = Array.isArray(task['args']) ? task['args'] : [];
  if (command === undefined || !args.every((word) => typeof word === 'string')) return undefined;
  const placed = [command, ...args].map((word) => word.replaceAll('${workspaceFolder}', '.'));
  if (placed.some((word) => word.includes('${'))) return undefined;
  const [program = '', ...words] = placed;
  const line = words.length === 0 ? program : `${program} ${joinShellWords(words)}`;
  return { command: line, runner: runnerIn(line), takesWords: runnerIn(line) !== undefined };
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
