import { describe, expect, it } from 'vitest';
import { recognizePatch } from '../../../src/core/patch/invocation.ts';

const patch = '*** Begin Patch\n*** Delete File: a\n*** End Patch';
const heredoc = (command: string, word = 'EOF') => `${command}\n${patch}\n${word.replaceAll(/['"]/g, '')}\n`;

describe('recognizePatch', () => {
  it.each([
    [['apply_patch', patch]],
    [['applypatch', patch]],
    [['bash', '-lc', heredoc("apply_patch <<'EOF'")]],
    [['bash', '-c', heredoc('apply_patch <<"END"', 'END')]],
    [['/bin/zsh', '-lc', heredoc('apply_patch <<PATCH', 'PATCH')]],
    [['sh', '-c', heredoc("  applypatch << 'EOF'")]],
    [['powershell.exe', '-NoProfile', '-Command', heredoc("apply_patch <<'EOF'")]],
    [['pwsh', '-command', heredoc("apply_patch <<'EOF'")]],
    [['cmd.exe', '/c', heredoc("apply_patch <<'EOF'")]],
  ])('takes %j', (argv) => {
    expect(recognizePatch(argv)).toEqual({ type: 'patch', patch });
  });

  it.each([
    ["cd src/app && apply_patch <<'EOF'", 'src/app'],
    ["cd 'my app' && apply_patch <<'EOF'", 'my app'],
    ['cd "my app" && apply_patch <<\'EOF\'', 'my app'],
    ["cd .. &&\napply_patch <<'EOF'", '..'],
  ])('follows %j', (command, workdir) => {
    expect(recognizePatch(['bash', '-lc', heredoc(command)])).toEqual({ type: 'patch', patch, workdir });
  });

  it.each([
    ['bash', '-lc', heredoc("cd a b && apply_patch <<'EOF'")],
    ['bash', '-lc', heredoc("cd a; apply_patch <<'EOF'")],
    ['bash', '-lc', heredoc("cd a || apply_patch <<'EOF'")],
    ['bash', '-lc', heredoc("cd $HOME && apply_patch <<'EOF'")],
    ['bash', '-lc', heredoc("echo x && apply_patch <<'EOF'")],
    ['bash', '-lc', heredoc("apply_patch --now <<'EOF'")],
    ['bash', '-lc', heredoc("apply_patch <<'EOF' | cat")],
    ['bash', '-lc', heredoc("apply_patch <<'EOF'") + 'ls'],
    ['bash', '-lc', heredoc("apply_patch <<'EOF'", 'END')],
    ['bash', '-lc', "apply_patch <<'EOF'\nEOF\n"],
    ['bash', '-x', heredoc("apply_patch <<'EOF'")],
    ['fish', '-c', heredoc("apply_patch <<'EOF'")],
    ['apply_patch', patch, 'more'],
    ['apply_patch'],
    ['cat', patch],
    [],
  ])('leaves %j %j alone', (...argv) => {
    expect(recognizePatch(argv)).toEqual({ type: 'not_a_patch' });
  });

  it.each([[[patch]], [['bash', '-lc', patch]], [['pwsh', '-Command', patch]]])(
    'recognizes a bare patch in %j',
    (argv) => {
      expect(recognizePatch(argv)).toEqual({ type: 'implicit' });
    },
  );
});
