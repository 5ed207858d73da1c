import { expect, test } from 'vitest';
import { commandEnvironment, withoutSecrets } from '../../../src/core/tools/environment.ts';
import { SecretRedactor } from '../../../src/core/util/secretRedactor.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentSettings, parseSettings } from '../../../src/protocol/settings.ts';

const NO_KEYS = new SecretRedactor();

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

/** Returns the variables except those that every command gets. */
function passed(settings: Partial<EnvironmentSettings>): Record<string, string> {
  const forced = commandEnvironment({}, { ...DEFAULT_ENVIRONMENT, inherit: 'none' }, NO_KEYS);
  const all = commandEnvironment(HOST, { ...DEFAULT_ENVIRONMENT, ...settings }, NO_KEYS);
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in forced)));
}

test('secrets, loader variables and access to VS Code are not inherited', () => {
  expect(passed({})).toEqual({ PATH: '/bin', HOME: '/home/me', EDITOR: 'vim', NPM_CONFIG_CACHE: '/cache' });
});

test('the core has the variables that programs need', () => {
  expect(passed({ inherit: 'core' })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(passed({ inherit: 'none' })).toEqual({});
});

test('names are excluded, set and picked, in this order', () => {
  expect(passed({ exclude: ['npm_*', 'EDIT?R'] })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(passed({ exclude: ['*'], set: { GITHUB_TOKEN: 'mine' } })).toEqual({ GITHUB_TOKEN: 'mine' });
  expect(passed({ set: { A_B: '1' }, includeOnly: ['PATH', 'a_*'] })).toEqual({ PATH: '/bin', A_B: '1' });
});

test.each([
  'postgres://user:password@db.example/app',
  'redis://:password@localhost:6379',
  'mongodb+srv://me:p%40ss%23@cluster.example/?retry=true',
  'https://plain.example/simple https://__token__:abc@pypi.example/simple',
  'jdbc:postgresql://me:it#is?odd@db.example/app',
])('a variable with a password in an address is not inherited, whatever its name: %s', (value) => {
  expect(withoutSecrets({ DATABASE_URL: value }, [], NO_KEYS)).toEqual({});
});

test.each([
  'https://example.com:8443/a/b?c=d',
  'ssh://git@github.com/a/b.git',
  'postgres://user@localhost:5432/app',
  'http://localhost:4873/@scope/name',
  'http://[::1]:8080/',
  'me@example.com: /home/me',
])('a variable with an address without a password is inherited: %s', (value) => {
  expect(withoutSecrets({ SOME_URL: value }, [], NO_KEYS)).toEqual({ SOME_URL: value });
});

test('names in keep are inherited in any case, but not excluded ones', () => {
  const kept = { GITHUB_TOKEN: 'secret', NODE_OPTIONS: '--require /tmp/evil.js' };
  expect(passed({ keep: ['github_*', 'NODE_OPTIONS'] })).toMatchObject(kept);
  expect(passed({ inherit: 'none', keep: ['GITHUB_TOKEN', 'DB_*'], exclude: ['DB_*'] })).toEqual({
    GITHUB_TOKEN: 'secret',
  });
});

test('a key that Tiller holds reaches no command, whatever the name of its variable, unless that is in keep', () => {
  const keys = new SecretRedactor();
  keys.hold('of-my-provider-5f2c');
  const host = { COPY: 'of-my-provider-5f2c', CURL_HEADER: 'x-api: of-my-provider-5f2c', OTHER: 'of-my-provider' };
  expect(withoutSecrets(host, [], keys)).toEqual({ OTHER: 'of-my-provider' });
  expect(withoutSecrets(host, ['copy'], keys)).toEqual({ COPY: 'of-my-provider-5f2c', OTHER: 'of-my-provider' });
});

test('whatever is set, programs get plain output and no prompts', () => {
  const settings = { ...DEFAULT_ENVIRONMENT, set: { TERM: 'xterm' }, includeOnly: ['X'] };
  const environment = commandEnvironment(HOST, settings, NO_KEYS);
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

test('the setting has defaults for missing keys, and refuses unknown ones', () => {
  expect(parseSettings({ environment: { exclude: ['X_*'] } })).toMatchObject({
    settings: { environment: { inherit: 'all', keep: [], exclude: ['X_*'], set: {}, includeOnly: [] } },
  });
  expect(parseSettings({ environment: { inherit: 'some' } })).toMatchObject({ type: 'invalid' });
  expect(parseSettings({ environment: { inherits: 'all' } })).toMatchObject({ type: 'invalid' });
});
