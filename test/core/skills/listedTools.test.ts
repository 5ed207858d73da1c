import { describe, expect, it } from 'vitest';
import { isListed, type ListableCall } from '../../../src/core/skills/listedTools.ts';

const command = (text: string): ListableCall => ({
  names: ['exec_command', 'shell_command'],
  uses: [{ name: 'Bash', command: text }],
});
const patch: ListableCall = { names: ['apply_patch'], uses: [{ name: 'Write' }, { name: 'Edit' }] };
const patchByCommand: ListableCall = {
  names: ['exec_command'],
  uses: [{ name: 'Bash', command: 'apply_patch …' }, { name: 'Edit' }],
};
const tool = (name: string): ListableCall => ({ names: [name], uses: [{ name }] });

describe('a list of tools', () => {
  it.each<[string[], ListableCall]>([
    [[], tool('read_file')],
    [[], tool('update_plan')],
    [[], { names: ['write_stdin'], uses: [] }],
    [['code_navigation'], { names: ['code_navigation'], uses: [{ name: 'Edit' }] }],
    [['Edit'], { names: ['code_navigation'], uses: [{ name: 'Edit' }] }],
    [['*'], command('rm -rf /')],
    [['Bash'], command('rm -rf /')],
    [['execute'], command('ls; ls')],
    [['Bash(*)'], command('ls && git log')],
    [['Bash(git:*)'], command('git push --force')],
    [['Bash(git add:*)', 'Bash(git commit *)'], command('git add -A && git commit -m "x y"')],
    [['Bash(npm test)'], command('npm test')],
    [['Bash(git:*)', 'Bash(head:*)'], command('git log | head -3')],
    [['Edit'], patch],
    [['edit', 'Bash'], patchByCommand],
    [['mcp__notes'], tool('mcp__notes__add')],
    [['mcp__notes__add'], tool('mcp__notes__add')],
    [['notes/*'], tool('mcp__notes__add')],
    [['WebFetch'], { names: ['fetch_url'], uses: [{ name: 'WebFetch' }] }],
    [['Task'], { names: ['task'], uses: [{ name: 'Task' }] }],
    [['shoot'], tool('shoot')],
  ])('%j names the call', (list, call) => {
    expect(isListed(list, call)).toBe(true);
  });

  it.each<[string[], ListableCall]>([
    [[], command('ls')],
    [['Read'], command('ls')],
    [['Read'], patch],
    [['Read'], { names: ['code_navigation'], uses: [{ name: 'Edit' }] }],
    [['Bash(git:*)'], command('git log; curl x')],
    [['Bash(git:*)'], command('gitk')],
    [['Bash(git:*)'], command('git log $(curl x)')],
    [['Bash(git:*)'], command('/tmp/git log')],
    [['Bash(npm test)'], command('npm test --watch')],
    [['Bash(git:*)'], command('git apply <<EOF\nx\nEOF')],
    [['Bash(g*:*)'], command('git log')],
    [['Bash()'], command('git log')],
    [['Bash'], patchByCommand],
    [['Edit'], patchByCommand],
    [['Edit(src/**)'], patch],
    [['Bash(git:*)'], { names: ['write_stdin'], uses: [{ name: 'write_stdin' }] }],
    [['mcp__notes__add'], tool('mcp__notes__drop')],
    [['mcp__note'], tool('mcp__notes__add')],
    [['WebFetch(domain:x.y)'], { names: ['fetch_url'], uses: [{ name: 'WebFetch' }] }],
    [['Read'], { names: ['task'], uses: [{ name: 'Task' }] }],
  ])('%j does not name the call', (list, call) => {
    expect(isListed(list, call)).toBe(false);
  });
});
