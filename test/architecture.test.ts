import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { findViolations, foldersMissingFromMap, measureRooms } from './support/architecture.ts';
import type { SourceFile } from './support/architecture.ts';

const root = path.join(import.meta.dirname, '..');

describe('the source tree', () => {
  it('has only imports that point inward, no cycle, and no clock, randomness or disk in code that decides', () => {
    const found = findViolations(sourceFiles()).map(
      (violation) => `${violation.path}:${violation.line} ${violation.message}`,
    );
    assert.deepEqual(found, []);
  });

  it.each([
    ['src/vscode', 3],
    ['src/node', 4],
    ['webview-ui', 10],
  ])('has the rooms of %s on at most %i floors', (folder, floors) => {
    const measured = measureRooms(folder, sourceFiles());
    assert.ok(measured.floors <= floors, `${folder} has ${JSON.stringify(measured)}; see docs/decisions/0065`);
  });

  // A new feature of src/vscode adds a room, and its arrows to the ground floor.
  it('has no more arrows than its rooms need', () => {
    const files = sourceFiles();
    const vscode = measureRooms('src/vscode', files);
    assert.ok(vscode.arrows <= 2 * vscode.rooms, `src/vscode has ${JSON.stringify(vscode)}; see docs/decisions/0065`);
    const panel = measureRooms('webview-ui', files);
    assert.ok(panel.rooms <= 22 && panel.arrows <= 90, `webview-ui has ${JSON.stringify(panel)}`);
  });

  it('is drawn in src/README.md with every folder', () => {
    const map = path.join(root, 'src/README.md');
    const missing = existsSync(map) ? foldersMissingFromMap(readFileSync(map, 'utf8'), sourceFiles()) : [];
    assert.deepEqual(missing, []);
  });
});

describe('the architecture rules', () => {
  const bad: readonly (readonly [file: string, text: string, message: string])[] = [
    [
      'src/protocol/op.ts',
      `import { Session } from '../core/session/session.ts';`,
      'protocol must not import core/session',
    ],
    ['src/protocol/op.ts', `import path from 'node:path';`, 'protocol must not import node:path'],
    [
      'src/core/history/history.ts',
      `import type { Tool } from '../tools/handler.ts';`,
      'core/history must not import core/tools',
    ],
    [
      'src/core/tools/router.ts',
      `import { Session } from '../session/session.ts';`,
      'core/tools must not import core/session',
    ],
    ['src/core/tools/router.ts', `import { x } from '../model/client.ts';`, 'core/tools must not import core/model'],
    ['src/core/session/turn.ts', `import { plan } from '../patch/plan.ts';`, 'core/session must not import core/patch'],
    ['src/core/patch/plan.ts', `export { seek } from '../policy/seek.ts';`, 'core/patch must not import core/policy'],
    ['src/core/patch/plan.ts', `import { files } from '../../node/files.ts';`, 'core/patch must not import node'],
    ['src/core/patch/plan.ts', `import * as vscode from 'vscode';`, 'core/patch must not import vscode'],
    ['src/core/patch/plan.ts', `import type * as vscode from "vscode";`, 'core/patch must not import vscode'],
    [
      'src/core/patch/plan.ts',
      `const fs = await import('node:fs/promises');`,
      'core/patch must not import node:fs/promises',
    ],
    ['src/core/patch/plan.ts', `import fs from 'fs';`, 'core/patch must not import fs'],
    [
      'src/core/patch/plan.ts',
      `const { spawn } = require("child_process");`,
      'core/patch must not import child_process',
    ],
    ['src/core/patch/plan.ts', `import 'node:net';`, 'core/patch must not import node:net'],
    ['src/core/patch/plan.ts', `type Fs = import('node:http').Server;`, 'core/patch must not import node:http'],
    ['src/core/patch/plan.ts', `import {\n  a,\n  b,\n} from 'node:https';`, 'core/patch must not import node:https'],
    ['src/core/patch/plan.ts', 'const x = await import(`node:dns`);', 'core/patch must not import node:dns'],
    ['src/core/patch/plan.ts', `const x = /['"]/; import tls from 'tls';`, 'core/patch must not import tls'],
    ['src/core/patch/plan.ts', `const x = await import(name);`, 'an import must name its module literally'],
    ['src/core/patch/plan.ts', `const t = Date.now();`, 'core/patch must not use Date.now; ask a port'],
    ['src/core/patch/plan.ts', 'const t = `at ${Date.now()}`;', 'core/patch must not use Date.now; ask a port'],
    ['src/core/patch/plan.ts', `const t = new Date();`, 'core/patch must not use new Date(); ask a port'],
    ['src/core/patch/plan.ts', `const t = Math.random();`, 'core/patch must not use Math.random; ask a port'],
    ['src/core/patch/plan.ts', `setTimeout(done, 10);`, 'core/patch must not use timers; ask a port'],
    [
      'src/core/patch/plan.ts',
      `const later = globalThis.setTimeout;`,
      'core/patch must not use globalThis; ask a port',
    ],
    ['src/core/patch/plan.ts', `const home = process.env.HOME;`, 'core/patch must not use process; ask a port'],
    [
      'src/protocol/thread.ts',
      `map((process) => process.id); process.cwd();`,
      'protocol must not use process; ask a port',
    ],
    ['src/core/helpers/x.ts', `import { a } from './a.ts';`, 'core/helpers has no place in the house'],
    ['src/node/files.ts', `import { land } from '../vscode/workspaceEdits.ts';`, 'node must not import vscode'],
    ['src/vscode/chatView.ts', `import { run } from '../node/exec.ts';`, 'vscode must not import node'],
    [
      'src/vscode/chat/chatView.ts',
      `import { a } from '../threads/a.ts';`,
      'src/vscode/chat must not import src/vscode/threads',
    ],
    ['src/node/host/ids.ts', `import { a } from '../storage/a.ts';`, 'src/node/host must not import src/node/storage'],
    ['webview-ui/text/ago.ts', `import { a } from '../store.ts';`, 'webview-ui/text must not import webview-ui/store'],
    ['src/vscode/misc/x.ts', `import { a } from './a.ts';`, 'src/vscode has no room misc'],
    ['src/extension/a.ts', `say(vscode.l10n.t('Hi'));`, 'extension.ts must not use texts; a feature shows them'],
    ['src/node/exec.ts', `import { main } from '../cli.ts';`, 'node must not import cli.ts'],
    ['src/node/exec.ts', `import { main } from '../cli/exec.ts';`, 'node must not import cli.ts'],
    ['src/cli.ts', `import { view } from './vscode/chatView.ts';`, 'cli.ts must not import vscode'],
    [
      'src/node/exec.ts',
      `import { a } from '../../test/support/a.ts';`,
      'node must not import test/support/a.ts, which is not part of the product',
    ],
    [
      'webview-ui/store.ts',
      `import { plan } from '../src/core/patch/plan.ts';`,
      'webview-ui must not import core/patch',
    ],
    ['webview-ui/bridge.ts', `import fs from 'node:fs';`, 'webview-ui must not import node:fs'],
    ['test/a.test.ts', `import { x } from '../../shared/x.mjs';`, '../../shared/x.mjs is not in this repository'],
  ];

  it.each(bad)('reports in %s: %s', (file, text, message) => {
    assert.deepEqual(
      findViolations([{ path: file, text }]).map((violation) => violation.message),
      [message],
    );
  });

  it('reports a cycle, also one of types alone', () => {
    const files = [
      { path: 'src/core/patch/a.ts', text: `import { b } from './b.ts';` },
      { path: 'src/core/patch/b.ts', text: `import type { C } from './c.ts';` },
      { path: 'src/core/patch/c.ts', text: `export * from './a.ts';` },
    ];
    assert.deepEqual(findViolations(files), [
      {
        path: 'src/core/patch/a.ts',
        line: 1,
        message: 'import cycle: src/core/patch/a.ts → src/core/patch/b.ts → src/core/patch/c.ts → src/core/patch/a.ts',
      },
    ]);
  });

  it('names the line', () => {
    const text = `/* one\n two */\nimport type { A } from '../ports.ts';\nimport net from 'net';\n`;
    assert.deepEqual(
      findViolations([{ path: 'src/core/patch/plan.ts', text }]).map(({ line }) => line),
      [4],
    );
  });

  it('accepts code that only resembles a violation', () => {
    const files: SourceFile[] = [
      {
        path: 'src/core/tools/router.ts',
        text: [
          `// import fs from 'fs'; Date.now()`,
          `/** import('node:net') */`,
          `const text = "import fs from 'fs'; process.env";`,
          'const template = `Math.random() ${join("setTimeout(x)")} from \'fs\'`;',
          `const pattern = /require\\('fs'\\)\\/\\//; const half = total / 2 / count;`,
          `import { plan } from '../patch/plan.ts';`,
          `import path from 'node:path';`,
          `const at = new Date(clock.now()); const process = start(); process.kill(); processes.env;`,
          `const later = clock.setTimeout(done, 5); const list = Array.from('abc');`,
        ].join('\n'),
      },
      { path: 'src/extension.ts', text: `import * as vscode from 'vscode'; import { a } from './node/a.ts';` },
      { path: 'src/cli/exec.ts', text: `import { a } from '../node/a.ts'; import { b } from '../core/session/b.ts';` },
      { path: 'src/cli.ts', text: `import { a } from './cli/exec.ts';` },
      {
        path: 'webview-ui/a.tsx',
        text: `import { x } from '../src/protocol/thread.ts';\nexport const a = <p>Don't {x} from</p>;`,
      },
    ];
    assert.deepEqual(findViolations(files), []);
  });

  it('finds a folder that is missing in the map', () => {
    const files = [
      { path: 'src/core/patch/a.ts', text: '' },
      { path: 'src/core/secret/a.ts', text: '' },
    ];
    assert.deepEqual(foldersMissingFromMap('core/ patch/', files), ['src/core/secret']);
  });
});

function sourceFiles(): SourceFile[] {
  return ['src', 'webview-ui', 'test', 'scripts']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.includes('/fixtures/'))
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}
