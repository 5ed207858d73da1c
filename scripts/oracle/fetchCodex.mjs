// Fetches the binary of the reference once, into a cache outside of the repository. It is not a dependency, because it
// has 290 MB.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The version on which the facts in docs/reference/codex-behaviour.md were observed. */
export const CODEX_VERSION = '0.169.0';

const SHORT_PLATFORMS = { linux: 'linux', darwin: 'darwin' };

/**
 * Returns the folder with `codex` and a link `apply_patch`: under that name the binary is the stand-alone patch tool.
 * @throws Error with the reason if it cannot be fetched.
 */
export function fetchCodex() {
  const platform = SHORT_PLATFORMS[process.platform];
  if (platform === undefined) throw new Error(`the reference is not fetched on ${process.platform}`);
  const variant = `${CODEX_VERSION}-${platform}-${process.arch}`;
  const home = path.join(os.homedir(), '.cache', 'tiller-oracle', variant);
  const bin = path.join(home, 'bin');
  if (existsSync(path.join(bin, 'apply_patch'))) return bin;

  rmSync(home, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  try {
    execFileSync('npm', ['pack', `@openai/codex@${variant}`, '--silent'], {
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const archive = readdirSync(home).find((name) => name.endsWith('.tgz'));
    if (archive === undefined) throw new Error('npm pack left no archive');
    execFileSync('tar', ['-xzf', archive], { cwd: home });
    rmSync(path.join(home, archive));
  } catch (error) {
    throw new Error(`@openai/codex@${variant} cannot be fetched: ${error.message}`, { cause: error });
  }
  const vendor = path.join(home, 'package', 'vendor');
  const program = path.join('bin', 'codex');
  const binary = readdirSync(vendor, { recursive: true }).find((name) => name.endsWith(program));
  if (binary === undefined) throw new Error(`@openai/codex@${variant} holds no program named codex`);
  for (const name of ['codex', 'apply_patch']) symlinkSync(path.join(vendor, binary), path.join(bin, name));
  return bin;
}
