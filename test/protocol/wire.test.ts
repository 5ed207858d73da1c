import { expect, it } from 'vitest';
import { webviewMessageSchema } from '../../src/protocol/wire.ts';

it('the panel can have pages and mails opened, and nothing else', () => {
  const opens = (url: string) => webviewMessageSchema.safeParse({ type: 'open_link', url }).success;
  expect(['https://a.example/b', 'HTTP://a.example', 'mailto:me@a.example'].filter((url) => !opens(url))).toEqual([]);
  const others = [
    'command:workbench.action.quit',
    'file:///etc/passwd',
    'vscode://a.b/c',
    'javascript:alert(1)',
    'b.md',
  ];
  expect(others.filter(opens)).toEqual([]);
});
