import { describe, expect, test } from 'vitest';
import type { ExecProcess } from '../../../src/core/ports.ts';
import { noSandbox, Playground } from '../../support/sandboxed.ts';

const tty = { columns: 80, rows: 24 };

/** The output so far, and a wait for text in it. */
function listen(child: ExecProcess) {
  let text = '';
  child.onOutput(({ bytes }) => {
    text += Buffer.from(bytes).toString();
  });
  return { says: (words: string) => expect.poll(() => text, { timeout: 10_000 }).toContain(words), text: () => text };
}

describe.skipIf(noSandbox)('a terminal in the sandbox', () => {
  test('is one, with its size, and what is typed arrives', async () => {
    using place = new Playground();
    const child = await place.start(
      ['/bin/bash', '-c', 'test -t 0 && stty size; read name; echo "hello $name"; exit 3'],
      {
        tty,
      },
    );
    const output = listen(child);
    await output.says('24 80');
    child.write('you\n');
    await output.says('hello you');
    expect(await child.exited).toMatchObject({ code: 3 });
    expect(await place.bash('true')).toMatchObject({ code: 0 });
  });

  test('is confined as well: nothing is written outside, no input is injected into the user’s terminal', async () => {
    using place = new Playground();
    const child = await place.start(
      [
        '/bin/bash',
        '-c',
        `perl -e 'exit(ioctl(STDIN, 0x5412, my $c = "x") ? 0 : 1)'; echo "typed $?"; echo x > /etc/tiller-test; ls /proc/self/fd; echo over`,
      ],
      { tty },
    );
    const output = listen(child);
    await child.exited;
    expect(output.text()).toContain('typed 1');
    expect(output.text()).toContain('Read-only file system');
    expect(output.text()).toContain('over');
  });

  test('interrupts its command on Ctrl-C', async () => {
    using place = new Playground();
    const child = await place.start(['/bin/bash', '-c', 'echo up; sleep 30'], { tty });
    const output = listen(child);
    await output.says('up');
    child.write('\u0003');
    const { code } = await child.exited;
    expect(code).toBeGreaterThan(128);
  });
});

describe.skipIf(noSandbox)('without a terminal', () => {
  test('Ctrl-C and kill end all processes of the sandbox', async () => {
    using place = new Playground();
    for (const end of ['write', 'kill'] as const) {
      const child = await place.start(['/bin/bash', '-c', 'setsid sleep 30 & echo up; sleep 30']);
      await listen(child).says('up');
      if (end === 'write') child.write('\u0003');
      else await child.kill();
      expect((await child.exited).code).toBeGreaterThan(128);
    }
  });
});
