/** The globs of `sandbox.unreadable` in the sandbox: files with secrets cannot be opened, whatever names them. */
import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { forReading } from '../../../src/core/sandbox/confinement.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { noSandbox, Playground, type SandboxedOptions } from '../../support/sandboxed.ts';

function playground(files: readonly string[], options?: SandboxedOptions): Playground {
  const made = new Playground(options);
  for (const file of files) {
    mkdirSync(path.dirname(made.at(file)), { recursive: true });
    writeFileSync(made.at(file), `secret of ${file}\n`);
  }
  return made;
}

describe.skipIf(noSandbox !== false)('a file with secrets in the sandbox', () => {
  it('cannot be opened, written, replaced or removed, at any depth and through a link, while its example can', async () => {
    const files = ['.env', 'a/b/.env.local', 'tls/key.pem', '.env.example', 'node_modules/p/.env', 'kept/real.txt'];
    using box = playground(files);
    symlinkSync('.env', box.at('link.txt'));
    symlinkSync('kept/real.txt', box.at('.env.link'));
    mkdirSync(box.at('venv/.env'), { recursive: true });
    writeFileSync(box.at('venv/.env/python'), 'a program\n');
    const { stdout, stderr } = await box.bash(
      `for f in .env a/b/.env.local tls/key.pem link.txt .env.link kept/real.txt .env.example node_modules/p/.env venv/.env/python; do
         cat "$f" 2>/dev/null || echo "no $f"
       done
       echo new > .env; mv .env.example .env; rm -f a/b/.env.local; cp tls/key.pem copy; grep -rl secret . | sort`,
    );
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      'no .env',
      'no a/b/.env.local',
      'no tls/key.pem',
      'no link.txt',
      'no .env.link',
      'no kept/real.txt',
      'secret of .env.example',
      'secret of node_modules/p/.env',
      'a program',
      './.env.example',
      './node_modules/p/.env',
    ]);
    expect(stderr).toContain('.env: Permission denied');
    for (const file of files) expect(readFileSync(box.at(file), 'utf8')).toBe(`secret of ${file}\n`);
  });

  it('cannot be opened by a command that is known to only read, and under read-only', async () => {
    using box = playground(['sub/.env']);
    const confinement = forReading({ type: 'sandbox', limits: box.limits });
    expect((await box.bash('cat sub/.env', { confinement })).code).toBe(1);
    using readOnly = playground(['sub/.env'], { policy: { type: 'read-only' } });
    expect((await readOnly.bash('cat sub/.env')).code).toBe(1);
  });

  it('is found when it was made since the last command, and another setting has its effect at once', async () => {
    using box = playground([]);
    expect((await box.bash('echo 1 > .env; cat .env')).stdout).toBe('1\n');
    expect((await box.bash('cat .env')).code).toBe(1);
    const limits = { ...box.limits, unreadableGlobs: ['!**/.env'] };
    expect((await box.bash('cat .env', { confinement: { type: 'sandbox', limits } })).stdout).toBe('1\n');
    expect((await box.bash('cat .env')).code).toBe(1);
  });

  it('cannot be opened by its hard links, wherever they are in the workspace', async () => {
    using box = playground(['.env', 'a/b/.env.local', 'keys/id', 'node_modules/p/other.js'], {
      unreadable: [],
    });
    const links = ['copy.txt', 'node_modules/p/copy.js', 'a/copy'];
    linkSync(box.at('.env'), box.at('copy.txt'));
    linkSync(box.at('.env'), box.at('node_modules/p/copy.js'));
    linkSync(box.at('a/b/.env.local'), box.at('a/copy'));
    const all = `for f in ${links.join(' ')}; do cat $f 2>/dev/null || echo "no $f"; done; cat node_modules/p/other.js`;
    const none = [...links.map((link) => `no ${link}`), 'secret of node_modules/p/other.js', ''].join('\n');
    expect((await box.bash(all)).stdout).toBe(none);
    const confinement = forReading({ type: 'sandbox', limits: box.limits });
    expect((await box.bash(all, { confinement })).stdout).toBe(none);
    linkSync(box.at('.env'), box.at('late'));
    renameSync(box.at('a/copy'), box.at('moved'));
    expect((await box.bash('cat late moved')).stdout).toBe('');
  });

  it('cannot be opened where a path of the setting has another name in the workspace', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('netrc'), 'password\n');
    using box = playground([], { unreadable: [folder.at('netrc')] });
    linkSync(folder.at('netrc'), box.at('copy'));
    expect((await box.bash('cat copy')).stdout).toBe('');
  });

  it.each(['node_modules/kept', 'a/b/c/d/e/f/g/h/i/kept'])(
    'stays closed when a command has moved its folder to %s, and that is reported',
    async (place) => {
      using box = playground(['sub/.env', 'node_modules/p/x.js']);
      const { findings } = await box.bash(`mkdir -p $(dirname ${place}); mv sub ${place}`);
      expect(findings).toMatchObject([{ kind: 'left_behind', path: box.at(place, '.env') }]);
      expect((await box.bash(`cat ${place}/.env`)).stdout).toBe('');
      expect((await box.bash(`mv ${place} ${place}2; cat ${place}2/.env`)).stdout).toBe('');
      expect(await box.bash(`cat ${place}2/.env`)).toMatchObject({ stdout: '', findings: [] });
      renameSync(box.at(`${place}2`), box.at('sub'));
      await box.bash('true');
      const { limits } = box;
      const opened = { type: 'sandbox', limits: { ...limits, unreadableGlobs: ['!**/.env'] } } as const;
      expect((await box.bash('cat sub/.env')).stdout).toBe('');
      expect((await box.bash('cat sub/.env', { confinement: opened })).stdout).toBe('secret of sub/.env\n');
    },
  );

  it('is not reported when its folder was moved to where it is found again', async () => {
    using box = playground(['sub/.env']);
    expect(await box.bash('mv sub other; cat other/.env')).toMatchObject({ stdout: '', findings: [] });
    expect((await box.bash('cat other/.env')).stdout).toBe('');
  });

  it('is one of the nearest 64, certificates last', async () => {
    using box = playground([
      'top/key.pem',
      'far/below/all/.env',
      ...Array.from({ length: 100 }, (_, at) => `many/deep/${at}.pem`),
    ]);
    const { stdout } = await box.bash(
      'cat top/key.pem 2>/dev/null; cat many/deep/*.pem 2>/dev/null | wc -l; cat far/below/all/.env 2>/dev/null || echo no',
    );
    expect(stdout).toBe('38\nno\n');
  });
});
