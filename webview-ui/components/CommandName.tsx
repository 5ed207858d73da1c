import { inOneLine } from '../../src/protocol/text/truncate.ts';
import type { ComponentChildren } from 'preact';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { t } from '../l10n.ts';

/** Shows a command in one line, with an ellipsis where it is cut. */
export function CommandName({ command }: { command: string }) {
  return <code>{inOneLine(command)}</code>;
}

/**
 * Returns the body of a command's step. If the step's label shows only a part of the command, the body begins with all
 * of it.
 */
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
