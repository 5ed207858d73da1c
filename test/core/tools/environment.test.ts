import { expect, test } from 'vitest';
import { commandEnvironment } from '../../../src/core/tools/environment.ts';
import { type EnvironmentSettings, parseSettings } from '../../../src/protocol/settings.ts';

const HOST = {
  PATH: '/bin',
  HOME: '/home/me',
  EDITOR: 'vim',
  GITHUB_TOKEN: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  DB_PASSWORD: 'secret',
  LD_PRELOAD: '/tmp/evil.so',
  BASH_ENV: '/tmp/evil.sh',
  'BASH_FUNC_ls%%': '() { evil; }',
  NODE_OPTIONS: '--require /tmp/evil.js',
  VSCODE_IPC_HOOK_CLI: '/run/vscode.sock',
  VSCODE_GIT_IPC_HANDLE: '/run/git.sock',
  ELECTRON_RUN_AS_NODE: '1',
  SSH_AUTH_SOCK: '/run/agent.sock',
  TILLER_HOME: '/home/me/.tiller',
  NPM_CONFIG_CACHE: '/cache',
  NOTHING: undefined,
};

/** Without what every command gets. */
function passed(settings: Partial<EnvironmentSettings>): Record<string, string> {
  const forced = commandEnvironment({}, { inherit: 'none', exclude: [], set: {}, includeOnly: [] });
  const all = commandEnvironment(HOST, { inherit: 'all', exclude: [], set: {}, includeOnly: [], ...settings });
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in forced)));
}

test('secrets, loaders and the ways into VS Code stay here', () => {
  expect(passed({})).toEqual({ PATH: '/bin', HOME: '/home/me', EDITOR: 'vim', NPM_CONFIG_CACHE: '/cache' });
});

test('the core is what a program needs to find its way', () => {
  expect(passed({ inherit: 'core' })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(passed({ inherit: 'none' })).toEqual({});
});

test('names are left out, set and picked, in this order', () => {
  expect(passed({ exclude: ['npm_*', 'EDIT?R'] })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(passed({ exclude: ['*'], set: { GITHUB_TOKEN: 'mine' } })).toEqual({ GITHUB_TOKEN: 'mine' });
  expect(passed({ set: { A_B: '1' }, includeOnly: ['PATH', 'a_*'] })).toEqual({ PATH: '/bin', A_B: '1' });
});

test('whatever is set, programs are told to be plain and to wait for nobody', () => {
  const environment = commandEnvironment(HOST, {
    inherit: 'all',
    exclude: [],
    set: { TERM: 'xterm' },
    includeOnly: ['X'],
  });
  expect(environment).toEqual({
    NO_COLOR: '1',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    LC_CTYPE: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    COLORTERM: '',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GH_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TILLER: '1',
  });
});

test('the setting has defaults for what it does not say, and refuses what it does not know', () => {
  expect(parseSettings({ environment: { exclude: ['X_*'] } })).toMatchObject({
    settings: { environment: { inherit: 'all', exclude: ['X_*'], set: {}, includeOnly: [] } },
  });
  expect(parseSettings({ environment: { inherit: 'some' } })).toMatchObject({ type: 'invalid' });
  expect(parseSettings({ environment: { inherits: 'all' } })).toMatchObject({ type: 'invalid' });
});
