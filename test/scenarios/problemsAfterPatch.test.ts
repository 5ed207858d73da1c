/** Problems of the editor after a patch, as the model gets them (docs/editor.md). */
import { linkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckedFile, PatchedFile, Ports, Problem, Problems } from '../../src/core/ports.ts';
import { calls, says } from '../support/modelServer.ts';
import { type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
const EDIT = patch('*** Update File: a.ts', '@@', '-one', '+two');
const WRONG: Problem = { severity: 'error', line: 1, column: 2, message: 'wrong', origin: 'ts 1', lineText: 'two' };

/** An editor that reports this of each patched file; `watched` has the paths that patches have named. */
class FakeEditor implements Problems {
  readonly watched: PatchedFile[] = [];
  open = 0;
  readonly #report: Partial<CheckedFile>;
  readonly #others: readonly CheckedFile[];

  constructor(report: Partial<CheckedFile>, others: readonly CheckedFile[] = []) {
    this.#report = report;
    this.#others = others;
  }

  async watch(files: readonly PatchedFile[]) {
    this.watched.push(...files);
    this.open++;
    const known = { isPatched: true, state: 'current', before: [], after: [] } as const;
    return {
      settle: async () => [...files.map(({ path }) => ({ path, ...known, ...this.#report })), ...this.#others],
      dispose: () => void this.open--,
    };
  }
}

async function outcomeOf(
  call: ReturnType<typeof calls>,
  problems: FakeEditor,
  options: Partial<ScenarioOptions> = {},
  prepare: (ports: Ports) => void = () => {},
) {
  await using chat = await startScenario({
    files: { 'a.txt': 'a\n', 'a.ts': 'one\n', '.env': 'KEY=1\n' },
    ...options,
    model: [[call], [says('Done.')]],
    deps: (ports) => {
      prepare(ports);
      return { problems };
    },
  });
  chat.session.onEvent(({ msg }) => {
    if (msg.type !== 'approval_requested') return;
    chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: 'approved' });
  });
  await chat.send('go');
  const [item] = chat.items('file_change');
  const notes = (chat.outputs()[0] ?? '').split('\n').slice(2);
  return { notes, problems: item?.problems, status: item?.status, folder: chat.folder.path };
}

describe('after a patch', () => {
  it('the model gets the new problems, and the item counts them', async () => {
    const editor = new FakeEditor({ after: [WRONG] });
    const { notes, problems } = await outcomeOf(EDIT, editor);
    expect(notes.slice(-2)).toEqual([
      'Problems in the editor after this patch: 1 new error.',
      'new: a.ts:1:2 error: wrong (ts 1) | two',
    ]);
    expect(problems).toEqual({ errors: 1, warnings: 0, fixed: 0, checking: [], unchecked: [] });
    expect(editor.open).toBe(0);
  });

  it('names the file before and after a move, and no deleted file', async () => {
    const editor = new FakeEditor({});
    const moved = ['*** Update File: a.ts', '*** Move to: b.ts', '@@', '-one', '+two'];
    const { folder } = await outcomeOf(patch(...moved, '*** Add File: c.ts', '+new', '*** Delete File: a.txt'), editor);
    const named = editor.watched.map(({ path, before }) =>
      [path, before?.path].map((name) => name?.replace(folder, 'W')),
    );
    expect(named).toEqual([
      ['W/b.ts', 'W/a.ts'],
      ['W/c.ts', undefined],
    ]);
  });

  it('says nothing where the user has turned it off, and asks for nothing', async () => {
    const editor = new FakeEditor({ after: [WRONG] });
    const { notes, problems } = await outcomeOf(EDIT, editor, { problemsAfterPatch: 'off' });
    const notAsked = ['Output:', 'Patch applied to these files:', 'M a.ts', ''];
    expect([notes, problems, editor.watched]).toEqual([notAsked, undefined, []]);
  });

  it('says nothing when the patch was not applied', async () => {
    const editor = new FakeEditor({ after: [WRONG] });
    const { status, problems } = await outcomeOf(patch('*** Update File: a.ts', '@@', '-none', '+two'), editor);
    expect([status, problems, editor.open]).toEqual(['failed', undefined, 0]);
  });

  it.each([
    ['.env', '.env', []],
    ['hard.txt', 'hard.txt', []],
    ['.env', 'b.txt', ['*** Move to: b.txt']],
  ])(
    'quotes no problem of files that the model may not read, patched (%s, then %s) or not',
    async (name, after, move) => {
      const hidden = (root: string): CheckedFile => ({
        path: `${root}/.env`,
        isPatched: false,
        state: 'current',
        before: [],
        after: [{ ...WRONG, message: 'bad KEY=1', lineText: 'KEY=1' }],
      });
      const editor = new FakeEditor({ after: [{ ...WRONG, lineText: 'KEY=1' }] }, [hidden('/elsewhere')]);
      const call = patch(`*** Update File: ${name}`, ...move, '@@', '-KEY=1', '+KEY=2');
      const prepare = ({ workspace: { roots } }: Ports) => linkSync(`${roots[0]}/.env`, `${roots[0]}/hard.txt`);
      const { notes, problems, status } = await outcomeOf(call, editor, {}, prepare);
      expect(status).toBe('completed');
      expect(notes.join('\n')).not.toContain('wrong');
      expect(notes.join('\n')).not.toContain('KEY=1');
      expect(problems).toEqual({ errors: 0, warnings: 0, fixed: 0, checking: [], unchecked: [after] });
    },
  );

  it('is the same for a patch that a shell command applies', async () => {
    const text = ['*** Begin Patch', '*** Update File: a.ts', '@@', '-one', '+two', '*** End Patch'].join('\n');
    const { notes } = await outcomeOf(
      calls('shell', { command: ['apply_patch', text] }),
      new FakeEditor({ after: [WRONG] }),
    );
    expect(notes.join('\n')).toContain('new: a.ts:1:2 error: wrong');
  });
});
