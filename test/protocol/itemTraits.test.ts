/** One table has the traits of each kind of item for redaction, audit, search and the summary line of a turn. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Event, EventMsg, TurnSettings } from '../../src/protocol/event.ts';
import type { DeltaKind, TurnItem } from '../../src/protocol/item.ts';
import { deltaKindSchema, turnItemSchema } from '../../src/protocol/item.ts';
import { DELTA_REDACTION, ITEM_TRAITS, traitsOf } from '../../src/protocol/itemTraits.ts';
import { initialThreadState } from '../../src/protocol/thread.ts';
import { threadReducer } from '../../src/protocol/threadReducer.ts';
import { SAMPLE_ITEMS, sampleItems } from '../support/sampleItems.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SETTINGS: TurnSettings = {
  model: 'm',
  effort: null,
  summary: 'auto',
  cwd: '/w',
  approvalPolicy: 'never',
  sandboxPolicy: { type: 'danger-full-access' },
  box: 'none',
};
const KINDS = deltaKindSchema.options;

describe('the traits of an item', () => {
  it.each(sampleItems)('list exactly the texts of a $type that the reducer lets grow', (sample) => {
    const grown = KINDS.filter((kind) => kind !== 'section_break' && grow(sample, kind, '+') !== sample);
    expect(
      traitsOf(sample)
        .grows.map(({ kind }) => kind)
        .sort(),
    ).toEqual(grown.sort());
  });

  it.each(sampleItems)('read and write the text of a $type that the reducer appends to', (sample) => {
    for (const { kind, read, write } of traitsOf(sample).grows) {
      const before = read(sample) ?? '';
      const item = grow(sample, kind, 'more');
      expect(read(item)).toBe(`${before}more`);
      expect(write(sample, `${before}more`)).toEqual(item);
      expect(DELTA_REDACTION[kind]).not.toBe('none');
    }
  });

  it.each(sampleItems)('have an explanation of a $type where its schema has a reason', (sample) => {
    const kept = turnItemSchema.parse({ ...sample, why: 'because' });
    expect(traitsOf(sample).explained).toBe('why' in kept);
  });
});

it.each(turnItemSchema.options)('docs/cli.md lists the fields of a $shape.type.value', ({ shape }) => {
  const listed = groupsBehind(shape.type.value, readFileSync(path.join(ROOT, 'docs/cli.md'), 'utf8')).join(' ');
  const common = ['id', 'type', 'status'];
  expect(listed).not.toBe('');
  expect(
    Object.keys(shape).filter((field) => !common.includes(field) && !new RegExp(`\\b${field}\\b`).test(listed)),
  ).toEqual([]);
});

/** The groups `name{…}` of the page, with the groups inside of them. */
function groupsBehind(name: string, page: string): readonly string[] {
  const starts = [...page.matchAll(new RegExp(`\`${name}\\{`, 'g'))].map(({ index }) => index);
  return starts.map((start) => {
    let depth = 0;
    const length = page
      .slice(start)
      .split('')
      .findIndex((character) => {
        if (character === '{') depth += 1;
        if (character === '}') depth -= 1;
        return character === '}' && depth === 0;
      });
    return page.slice(start, start + length + 1);
  });
}

it('a search includes the shown texts of each kind', () => {
  expect(Object.values(SAMPLE_ITEMS).map((item) => [item.type, traitsOf(item).searched(item)])).toEqual([
    ['user_message', ['said by the user']],
    ['agent_message', ['said by the model']],
    ['reasoning', ['first', 'second']],
    ['plan', ['why so', 'look']],
    ['command_execution', ['ls', 'a.txt']],
    ['process_interaction', ['q']],
    ['file_change', ['a.txt', 'b.txt']],
    ['mcp_tool_call', ['docs', 'find', '{"q":"rain"}', '']],
    ['dynamic_tool_call', ['open', '{"q":"rain"}']],
    ['web_search', ['weather']],
    ['image_view', ['a.png']],
    ['file_lookup', ['src', 'rain']],
    ['code_navigation', ['rain', '', '']],
    ['web_fetch', ['https://a.example/b', 'rain']],
    ['hook_run', ['./check.sh', 'no rain']],
    ['user_question', ['Which rain?', 'Soft']],
    ['sub_agent', ['scout', 'found']],
    ['code_review', ['Rain', 'It rains.', 'so wet']],
    ['compaction', ['so far']],
  ]);
});

describe('a new kind of item', () => {
  it('does not compile until redaction, audit, search, both exports and the transcript know it', async () => {
    using folder = copyOfSources();
    const edit = (file: string, after: string, added: string) => {
      const text = readFileSync(folder.at(file), 'utf8');
      expect(text).toContain(after);
      writeFileSync(
        folder.at(file),
        text.replace(after, () => after + added),
      );
    };
    const union = "export const turnItemSchema = z.discriminatedUnion('type', [";
    edit('src/protocol/item.ts', union, "z.object({ ...base, type: z.literal('sticky_note') }),");
    edit('src/protocol/itemTraits.ts', 'export const ITEM_TRAITS = {', 'sticky_note: {},');
    const errors = await typeErrors(folder);
    expect([...new Set(errors.map(({ file }) => file))].sort()).toEqual([...PLACES].sort());
    const said = errors.map(({ message }) => /missing the following properties.*: (.*), and (\d+) more/.exec(message));
    const [, named = '', more = '0'] = said.find((match) => match !== null) ?? [];
    expect(named.split(', ').length + Number(more)).toBe(Object.keys(ITEM_TRAITS.command_execution).length);
  });
});

/** The files that the compiler reports (src/README.md, “An item kind”). */
const PLACES = [
  'src/core/rollout/exportThread.ts',
  'src/protocol/itemTraits.ts',
  'webview-ui/text/turnMarkdown.ts',
  'webview-ui/transcript/Item.tsx',
];

/** The item after one delta, as the reducer returns it; the same object when the delta does not apply. */
function grow(item: TurnItem, kind: DeltaKind, text: string): TurnItem {
  const turn = { type: 'turn_started', settings: SETTINGS, contextWindow: null } as const;
  const events = [turn, { type: 'item_started', item } as const].map((msg, at) => eventOf(msg, at + 1));
  const state = events.reduce(threadReducer, initialThreadState('t'));
  return (
    threadReducer(state, eventOf({ type: 'item_delta', itemId: item.id, kind, text }, 3)).turns[0]?.items[0] ?? item
  );
}

function eventOf(msg: EventMsg, seq: number): Event {
  return { v: 1, seq, at: '', threadId: 't', turnId: 'turn', submissionId: null, msg };
}

/** The sources, with a project of the files that handle every kind, and their imports. */
function copyOfSources() {
  const folder = tempFolder();
  for (const name of ['src', 'webview-ui', 'tsconfig.json', 'package.json']) {
    cpSync(path.join(ROOT, name), folder.at(name), { recursive: true });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), folder.at('node_modules'), 'dir');
  const files = [...PLACES, 'webview-ui/globals.d.ts'];
  const project = { extends: './webview-ui/tsconfig.json', compilerOptions: { types: ['node'] }, include: [], files };
  writeFileSync(folder.at('places.json'), JSON.stringify(project));
  return folder;
}

interface TypeError {
  readonly file: string;
  readonly message: string;
}

async function typeErrors(folder: TempFolder): Promise<readonly TypeError[]> {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '--pretty', 'false', '-p', 'places.json'];
  // As in scripts/check.mjs: without collecting its heap the compiler takes a quarter less.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '3GiB' };
  const output = await promisify(execFile)(process.execPath, args, { cwd: folder.path, env }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  // A message continues in lines that begin with a space.
  return output.split(/\n(?! )/).flatMap((message) => {
    const file = /^([^(\n]+)\(\d+,\d+\): error/.exec(message)?.[1];
    return file === undefined ? [] : [{ file, message }];
  });
}
