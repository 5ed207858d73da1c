import { describe, expect, it } from 'vitest';
import { findTestCommands } from '../../../../src/core/tools/testRun/findTestCommands.ts';
import { TEST_RUNNERS } from '../../../../src/core/tools/testRun/testRunners.ts';

const found = (files: Readonly<Record<string, string>>) =>
  findTestCommands((name) => files[name]).map(
    ({ command, source, runner, takesWords }) => `${command} | ${source} | ${runner ?? '-'} | ${takesWords}`,
  );
const manifest = (scripts: object, more: object = {}) => ({ 'package.json': JSON.stringify({ scripts, ...more }) });

describe('the test command of a folder', () => {
  it.each([
    ['a script', manifest({ test: 'vitest run' }), 'npm test | package.json: scripts.test | vitest | true'],
    [
      'a script that only runs another one',
      manifest({ test: 'npm run unit', unit: 'tsc && jest --ci' }),
      'npm run unit | package.json: scripts.unit | jest | true',
    ],
    [
      'a script whose last command is no runner',
      manifest({ test: 'mocha && eslint .' }),
      'npm test | package.json: scripts.test | mocha | false',
    ],
    ['a script of another program', manifest({ test: './check' }), 'npm test | package.json: scripts.test | - | false'],
    [
      'a package manager by its lock file',
      { ...manifest({ test: 'vitest' }), 'pnpm-lock.yaml': '' },
      'pnpm run test | package.json: scripts.test | vitest | true',
    ],
    [
      'a dependency, where the script is that of npm init',
      manifest({ test: 'echo "Error: no test specified" && exit 1' }, { devDependencies: { mocha: '1' } }),
      'npx mocha | package.json: mocha | mocha | true',
    ],
    ['pytest.ini', { 'pytest.ini': '' }, 'pytest | pytest.ini | pytest | true'],
    [
      'pyproject.toml with uv',
      { 'pyproject.toml': '[tool.pytest.ini_options]', 'uv.lock': '' },
      'uv run pytest | pyproject.toml | pytest | true',
    ],
    ['go.mod', { 'go.mod': 'module x' }, 'go test | go.mod | go | true'],
    ['Cargo.toml', { 'Cargo.toml': '' }, 'cargo test | Cargo.toml | cargo | true'],
    ['a Makefile', { Makefile: 'all: x\ntest: all\n\tx\n' }, 'make test | Makefile: test | - | false'],
  ])('is found by %s', (_, files, expected) => {
    expect(found(files)).toEqual([expected]);
  });

  it('is the default test task before all others, and none with variables', () => {
    const tasks = [
      { label: 'slow', command: 'pytest', args: ['-m', 'slow tests'], group: 'test' },
      { label: 'unit', command: 'pytest', args: ['${workspaceFolder}/unit'], group: { kind: 'test', isDefault: true } },
      { label: 'this file', command: 'pytest ${file}', group: 'test' },
      { label: 'build', command: 'make', group: 'build' },
      { label: 'script', type: 'npm', script: 'check', group: 'test' },
    ];
    expect(found({ '.vscode/tasks.json': `// mine\n${JSON.stringify({ tasks })}`, 'go.mod': '' })).toEqual([
      'pytest ./unit | .vscode/tasks.json: unit | pytest | true',
      "pytest -m 'slow tests' | .vscode/tasks.json: slow | pytest | true",
      'npm run check | .vscode/tasks.json: script | - | false',
      'go test | go.mod | go | true',
    ]);
  });

  it.each([
    ['no files', {}],
    ['a package without tests', manifest({ build: 'tsc' })],
    ['broken files', { 'package.json': '{', '.vscode/tasks.json': '[]', 'pyproject.toml': '[project]' }],
    ['a script that runs itself', manifest({ test: 'npm run test' }, {})],
  ])('is not invented for %s', (_, files) => {
    expect(
      found(files).filter((command) => !command.startsWith('npm run test') && !command.startsWith('npm test')),
    ).toEqual([]);
  });
});

describe('a part of the tests', () => {
  it.each([
    ['vitest', { path: 'src/a.test.ts', name: 'adds' }, ['src/a.test.ts', '-t', 'adds']],
    ['mocha', { name: 'adds two' }, ['-g', 'adds two']],
    ['pytest', { path: 'tests' }, ['tests']],
    ['go', { path: 'pkg/sums/sums_test.go', name: 'TestAdd' }, ['./pkg/sums', '-run', 'TestAdd']],
    ['go', { path: 'sums_test.go' }, ['.']],
    ['go', { path: 'pkg/' }, ['./pkg/...']],
    ['go', {}, ['./...']],
    ['cargo', { path: 'crate/tests/whole.rs', name: 'refuses' }, ['--test', 'whole', 'refuses']],
    ['cargo', { path: 'src/lib.rs' }, undefined],
    ['node', { path: 'test/a.js', name: 'adds' }, ['--test-name-pattern=adds', 'test/a.js']],
  ] as const)('%s: %j', (runner, filter, expected) => {
    expect(TEST_RUNNERS[runner].words(filter)).toEqual(expected);
  });
});
