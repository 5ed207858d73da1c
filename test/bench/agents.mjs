// Starts each agent for a scripted job: its program, its arguments, the settings in its private home.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/bootstrap.mjs';

const CACHE = path.join(homedir(), '.cache', 'tiller-bench');
const PROMPT = 'do the thing';

/**
 * `prepare()` finds or fetches the program and throws when it cannot; `command({ url, home, turns, quiet })` gives argv
 * and extra environment of one run. `quiet`: without machine-readable output, where that costs the peer more than the job.
 */
export const AGENTS = [
  {
    name: 'tiller',
    prepare() {
      const cli = path.join(root, 'dist', 'cli.js');
      if (!existsSync(cli)) throw new Error('dist/cli.js is missing: npm run build');
      return cli;
    },
    command: (cli, { url, turns, boxed }) => ({
      argv: [
        ...[process.execPath, cli, 'exec', '--json', '--base-url', url, '--model', 'm'],
        ...['--sandbox', boxed ? 'workspace-write' : 'danger-full-access', '--approval-policy', 'never'],
        ...(turns > 200 ? ['-c', `maxToolRounds=${turns + 10}`] : []),
        ...['--', PROMPT],
      ],
    }),
  },
  {
    name: 'codex',
    /** The native program: the npm launcher would add a Node process to start-up time and memory. */
    prepare() {
      const modules = fetchPackage('@openai/codex', '0.169.0');
      const scope = path.join(modules, '@openai');
      const native = readdirSync(scope).find((name) => name.startsWith('codex-')) ?? '';
      const vendor = path.join(scope, native, 'vendor');
      return path.join(vendor, readdirSync(vendor)[0] ?? '', 'bin', 'codex');
    },
    command: (program, { url, home, boxed }) => ({
      argv: [
        ...[program, 'exec', '--json', '--skip-git-repo-check'],
        ...(boxed ? ['--sandbox', 'workspace-write'] : ['--dangerously-bypass-approvals-and-sandbox']),
        ...['-m', 'gpt-5.5', '-c', 'model_provider=mock', '-c', 'analytics.enabled=false'],
        ...['-c', 'check_for_update_on_startup=false'],
        ...['-c', `model_providers.mock={name="mock",base_url="${url}",wire_api="responses"}`, PROMPT],
      ],
      env: { CODEX_HOME: makeFolder(home, 'codex') },
    }),
  },
  {
    name: 'pi',
    prepare: () => path.join(fetchPackage('@mariozechner/pi-coding-agent', '0.73.1'), '.bin', 'pi'),
    command(program, { url, home, quiet }) {
      const settings = makeFolder(home, 'pi');
      const provider = { baseUrl: url, api: 'openai-completions', apiKey: 'none', models: [{ id: 'm' }] };
      writeFileSync(path.join(settings, 'models.json'), JSON.stringify({ providers: { mock: provider } }));
      return {
        argv: [program, '-p', ...(quiet ? [] : ['--mode', 'json']), '--provider', 'mock', '--model', 'm', PROMPT],
        env: { PI_CODING_AGENT_DIR: settings, PI_OFFLINE: '1' },
      };
    },
  },
];

/** Peers are in a cache outside the repository, never among our dependencies. Returns the node_modules folder. */
function fetchPackage(name, version) {
  const prefix = path.join(CACHE, `${path.basename(name)}@${version}`);
  const modules = path.join(prefix, 'node_modules');
  if (existsSync(path.join(modules, name, 'package.json'))) return modules;
  console.error(`Fetching ${name}@${version} into ${prefix} …`);
  mkdirSync(prefix, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
  const npm = spawnSync('npm', ['install', '--prefix', prefix, ...options, `${name}@${version}`], {
    cwd: prefix,
    encoding: 'utf8',
  });
  if (npm.status !== 0)
    throw new Error(`${name}@${version} could not be fetched: ${npm.stderr?.trim().split('\n')[0]}`);
  return modules;
}

function makeFolder(home, name) {
  const folder = path.join(home, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
