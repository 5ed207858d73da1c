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
    [['codebase', 'runCommands'], command('ls; ls')],
    [['execute/runInTerminal'], command('ls; ls')],
    [['editFiles'], patch],
    [['edit/editFiles', 'search/codebase'], patch],
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
    [['exec_command'], command('ls')],
    [['BashOutput'], { names: ['write_stdin'], uses: [{ name: 'write_stdin' }] }],
    [['run_tests'], { names: ['run_tests'], uses: [{ name: 'Bash', command: 'npm test' }] }],
    [['Bash'], { names: ['run_tests'], uses: [{ name: 'run_tests' }] }],
    [['apply_patch'], patch],
    [['execute', 'apply_patch'], patchByCommand],
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
    [['Bash(git'], command('git log')],
    [['read/readFile', 'vscode/runCommand', 'runTasks'], command('ls')],
    [['Bash'], patchByCommand],
    [['Edit'], patchByCommand],
    [['Edit(src/**)'], patch],
    [['Bash(git:*)'], { names: ['write_stdin'], uses: [{ name: 'write_stdin' }] }],
    [['mcp__notes__add'], tool('mcp__notes__drop')],
    [['mcp__note'], tool('mcp__notes__add')],
    [['WebFetch(domain:x.y)'], { names: ['fetch_url'], uses: [{ name: 'WebFetch' }] }],
    [['Read'], { names: ['task'], uses: [{ name: 'Task' }] }],
    [['run_tests'], command('rm -rf /')],
    [['write_stdin'], command('rm -rf /')],
    [['BashOutput'], command('rm -rf /')],
    [['KillShell'], command('rm -rf /')],
    [['run_tests', 'KillBash', 'apply_patch'], patchByCommand],
    [['write_stdin'], { names: ['run_tests'], uses: [{ name: 'Bash', command: 'npm test' }] }],
  ])('%j does not name the call', (list, call) => {
    expect(isListed(list, call)).toBe(false);
  });
});
