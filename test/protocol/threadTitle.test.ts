import { describe, expect, it } from 'vitest';
import { titleFrom } from '../../src/protocol/text/threadTitle.ts';

describe('the title of a thread', () => {
  it.each([
    ['Fix the login.', 'Fix the login'],
    ['fix the login', 'fix the login'],
    ['Why is the login slow? It takes 5 s.', 'Why is the login slow?'],
    ['Make it 1.5 times as fast. Then test it.', 'Make it 1.5 times as fast'],
    ['Show me.', 'Show me'],
    ['Please, could you please fix the login?', 'Fix the login?'],
    ['Hi Tiller, I would like you to rename Session to Thread!', 'Rename Session to Thread'],
    ['Let’s add a test', 'Add a test'],
    ['Hello!\n\nAdd a cache to the client.', 'Add a cache to the client'],
    ['# Add a *cache*\n\ntext', 'Add a *cache*'],
    ['- **Rename** `Session` to [Thread](docs/x.md)', 'Rename Session to Thread'],
    ['Explain @src/http/client.ts and https://www.example.com/a/b?c=d', 'Explain client.ts and example.com'],
    ['```\nError: x\n  at y\n```\nWhy does this fail?', 'Why does this fail?'],
    ['```ts\nconst a = 1;\n```', 'const a = 1'],
    ['~~~\nnot closed\n', 'not closed'],
    ['修复登录。然后测试。', '修复登录。然后测试。'],
    ['Do it', 'Do it'],
    ['please', 'please'],
    ['...', null],
    ['Hello?', null],
    ['hi there', null],
    ['', null],
  ])('of %j is %j', (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });

  it('ends after a word where it is too long', () => {
    const title = titleFrom(`Explain ${'every part '.repeat(20)}`) ?? '';
    expect(title).toMatch(/^Explain (every part )+every( part)?…$/);
    expect(title.length).toBeLessThanOrEqual(60);
    expect(titleFrom('x'.repeat(500))).toBe(`${'x'.repeat(59)}…`);
  });

  it('is made of the beginning of a message that is very long', () => {
    expect(titleFrom(`${'```\n'.repeat(100_000)}end`)).toBe(null);
    expect(titleFrom(`${'a. '.repeat(100_000)}b`)).toBe('a. a');
  });
});
