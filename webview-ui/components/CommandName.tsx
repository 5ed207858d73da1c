import { inOneLine } from '../../src/protocol/text/truncate.ts';
import type { ComponentChildren } from 'preact';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { t } from '../l10n.ts';

/** A command in one line; whatever is cut off shows as such. */
export function CommandName({ command }: { command: string }) {
  return <code>{inOneLine(command)}</code>;
}

/** What a step of a command opens, with the command in full where its name is not all of it. */
export function withCommand(
  command: string,
  body: (() => ComponentChildren) | undefined,
): (() => ComponentChildren) | undefined {
  const whole = visibleText(command.trim());
  if (inOneLine(command) === whole) return body;
  return () => (
    <>
      <pre class="io-pre is-whole" tabIndex={0} role="group" aria-label={t('Command')}>
        {whole}
      </pre>
      {body?.()}
    </>
  );
}
