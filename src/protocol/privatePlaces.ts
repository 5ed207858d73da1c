/** The usual places of keys, passwords, browser sessions and shell histories. Places that do not exist are skipped. */
export const PRIVATE_PLACES: readonly string[] = [
  // Keys and passwords of programs.
  '~/.ssh',
  '~/.aws',
  '~/.azure',
  '~/.config/gcloud',
  '~/.gnupg',
  '~/.netrc',
  '~/.npmrc',
  '~/.pypirc',
  '~/.cargo/credentials',
  '~/.cargo/credentials.toml',
  '~/.git-credentials',
  '~/.config/gh',
  '~/.docker/config.json',
  '~/.kube',
  '~/.vault-token',
  '~/.pgpass',
  // Keyrings.
  '~/.local/share/keyrings',
  '~/.local/share/kwalletd',
  '~/Library/Keychains',
  // Browsers.
  '~/.mozilla',
  '~/.config/mozilla',
  '~/.config/google-chrome',
  '~/.config/chromium',
  '~/.config/BraveSoftware',
  '~/.config/microsoft-edge',
  '~/.config/vivaldi',
  '~/.config/opera',
  '~/snap/firefox',
  '~/snap/chromium',
  '~/.var/app/org.mozilla.firefox',
  '~/.var/app/com.google.Chrome',
  '~/.var/app/org.chromium.Chromium',
  '~/Library/Application Support/Firefox',
  '~/Library/Application Support/Google/Chrome',
  '~/Library/Application Support/Chromium',
  '~/Library/Application Support/BraveSoftware',
  '~/Library/Application Support/Microsoft Edge',
  '~/Library/Safari',
  '~/Library/Cookies',
  // Histories.
  '~/.bash_history',
  '~/.zsh_history',
  '~/.zsh_sessions',
  '~/.local/share/fish/fish_history',
  '~/.psql_history',
  '~/.mysql_history',
  '~/.sqlite_history',
  '~/.node_repl_history',
  '~/.python_history',
];

/**
 * Files with secrets in workspaces, as globs. A glob with `!` makes some of the files before it readable again, such as
 * the certificates of public authorities in packages: without them no program could connect to a server.
 */
export const SECRET_FILES: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '!**/.env.example',
  '**/*.pem',
  '!**/{node_modules,site-packages,dist-packages}/**',
];
