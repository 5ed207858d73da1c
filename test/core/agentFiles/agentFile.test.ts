import { describe, expect, it } from 'vitest';
import { parseAgentFile } from '../../../src/core/agentFiles/agentFile.ts';

/** Tools of Tiller that are one tool of other products (core/tools/toolTraits.ts). */
const READING = ['read_file', 'view_image'];
const SEARCHING = ['grep_files', 'list_dir'];
const RUNNING = ['exec_command', 'write_stdin', 'shell', 'run_tests'];

const parse = (text: string | undefined, fileName = 'reviewer.md') => parseAgentFile({ text, fileName });
const file = (head: string, body = 'You review.') => `---\n${head}\n---\n\n${body}\n`;
const role = {
  name: 'reviewer',
  description: 'Reviews.',
  instructions: 'You review.',
  tools: null,
  without: [],
  readOnly: false,
  model: null,
};

describe('an agent file', () => {
  it('is read in the format of Claude Code, with its names of tools', () => {
    const head = [
      'name: code-reviewer',
      'description: Reviews code for bugs, security vulnerabilities, and quality issues',
      'tools: Glob, Grep, LS, Read, NotebookRead',
      'model: sonnet',
      'color: red',
    ].join('\n');
    const body = 'You are an expert code reviewer.\n\n---\n\n## Core Review Responsibilities';
    expect(parse(file(head, body))).toEqual({
      type: 'agent',
      role: {
        name: 'code-reviewer',
        description: 'Reviews code for bugs, security vulnerabilities, and quality issues',
        instructions: body,
        tools: [...SEARCHING, ...READING],
        without: [],
        readOnly: false,
        model: 'sonnet',
        color: 'red',
      },
      notes: [],
    });
  });

  it('may have a description with examples that is no YAML', () => {
    const description = [
      'Use this agent when user asks to "review code", "check for bugs",',
      '"analyze my changes", or after completing a significant code change. Examples:',
      '<example>',
      'Context: User just implemented authentication',
      'user: "I\'ve added OAuth login"',
      '</example>',
    ].join('\n');
    const head = `name: code-reviewer\ndescription: ${description}\nmodel: inherit`;
    const parsed = parse(file(head).replaceAll('\n', '\r\n'));
    expect(parsed).toMatchObject({ type: 'agent', role: { name: 'code-reviewer', description, model: 'inherit' } });
  });

  it.each([
    ['tools: [read, search, execute]', [...READING, ...SEARCHING, ...RUNNING]],
    ['tools:\n  - github/*\n  - docs/find\n  - mcp__notes__add', ['mcp__github', 'mcp__docs__find', 'mcp__notes__add']],
    ["tools: ['*']", null],
    ['tools: []', []],
  ])('takes tools as other products write them: %s', (tools, expected) => {
    expect(parse(file(`description: Reviews.\n${tools}`))).toEqual({
      type: 'agent',
      role: { ...role, tools: expected },
      notes: [],
    });
  });

  it('takes tools away, and leaves all others, those of servers and extensions too', () => {
    const lists = 'tools: Read, mcp__notes\ndisallowedTools: Bash, mcp__notes__drop, shoot, Teleport';
    expect(parseAgentFile({ text: file(`description: x\n${lists}`), fileName: 'a.md' }, ['shoot'])).toMatchObject({
      role: {
        tools: [...READING, 'mcp__notes'],
        without: [...RUNNING, 'mcp__notes__drop', 'shoot'],
      },
      notes: ['There is no tool "Teleport": nothing is taken from the agent for it.'],
    });
    expect(parse(file('description: x\ndisallowedTools: Edit'))).toMatchObject({
      role: { tools: null, without: ['apply_patch'] },
    });
  });

  it('may name tools that extensions offer', () => {
    const text = file('description: Reviews.\ntools: Read, shoot');
    expect(parseAgentFile({ text, fileName: 'a.md' }, ['shoot'])).toMatchObject({
      role: { tools: [...READING, 'shoot'] },
      notes: [],
    });
    expect(parse(text)).toMatchObject({ notes: ['There is no tool "shoot": the agent does not get it.'] });
  });

  it('names each tool that there is not, and gives the agent none for it', () => {
    expect(parse(file('description: Reviews.\ntools: Read, Teleport, Bash(git diff:*), __proto__'))).toMatchObject({
      role: { tools: READING },
      notes: ['Teleport', 'Bash(git diff:*)', '__proto__'].map(
        (name) => `There is no tool "${name}": the agent does not get it.`,
      ),
    });
  });

  it('names ten tools that there are not, and how many more', () => {
    const names = Array.from({ length: 12 }, (_, index) => `T${index}`);
    const notes = names.slice(0, 10).map((name) => `There is no tool "${name}": the agent does not get it.`);
    expect(parse(file(`description: Reviews.\ntools: ${names.join(', ')}`))).toMatchObject({
      notes: [...notes, 'There are 2 more names that are of no tool.'],
    });
  });

  it('says that the model does not read all of its description where it is long', () => {
    const note = 'Of its description the model reads only the first 2000 characters.';
    expect(parse(file(`description: ${'x'.repeat(2_000)}`))).toMatchObject({ notes: [] });
    expect(parse(file(`description: ${'x'.repeat(2_001)}`))).toMatchObject({ notes: [note] });
  });

  it('is read at once, whatever its front matter has', () => {
    const nested = file(`description: Reviews.\nx:\n  ${'? '.repeat(400)}`);
    const many = file(`description: Reviews.\n${Array.from({ length: 8_000 }, (_, index) => `k${index}:`).join('\n')}`);
    for (const text of [nested, many]) expect(parse(text)).toMatchObject({ type: 'agent' });
  });

  it('has the name of its file where it gives none', () => {
    expect(parse(file('description: Reviews.'), 'plan-checker.agent.md')).toMatchObject({
      role: { name: 'plan-checker' },
    });
    expect(parse(file('name: Plan Checker\ndescription: Reviews.'))).toMatchObject({ role: { name: 'Plan-Checker' } });
  });

  it.each([
    ['no front matter', 'You review.', 'line 1: it has no front matter between two lines ---'],
    ['no end of it', '---\nname: x\n', 'line 1: it has no front matter between two lines ---'],
    ['broken YAML', file('  - x\n name: "a'), 'line 3: Unexpected scalar at node end'],
    ['no description', file('name: x'), 'line 1: description is missing: it tells the model when to use the agent'],
    ['an empty description', file('name: x\ndescription: ""'), 'line 3: description is empty'],
    ['a list where a text must be', file('description: x\nmodel:\n  - a'), 'line 3: model must be a text'],
    [
      'a name that is none',
      file('name: ../x\ndescription: x'),
      'line 2: the name must begin with a letter and have only letters, digits, - and _',
    ],
    [
      'the name of the agent without a file',
      file('description: x\nname: default'),
      'line 3: the name default is that of an agent without a file',
    ],
    ['no instructions', file('description: x', ''), 'it has no instructions below the front matter'],
    ['no fields', file('- a\n- b'), 'line 2: its front matter has no fields'],
    ['aliases', file('a: &a [x]\nb: [*a, *a]\ndescription: x'), 'line 2: Alias resolution is disabled'],
    ['no text', undefined, 'it cannot be read'],
  ])('with %s is a problem with its line', (_, text, message) => {
    expect(parse(text)).toEqual({ type: 'problem', message });
  });
});
