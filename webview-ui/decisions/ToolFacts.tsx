import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { shortened } from '../../src/protocol/text/truncate.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { t } from '../l10n.ts';
import { Fact } from '../components/Facts.tsx';

/** Maximum number of characters of a tool's description on the card: the server wrote it for a model. */
const MAX_DESCRIPTION = 600;

/** Shows what an MCP server states about its tool, and how that has changed since the user approved the tool. */
export function ToolFacts({ tool }: { tool: ApprovalRequest['tool'] }) {
  if (tool === undefined) return null;
  const { description, changes } = tool;
  return (
    <>
      {description !== '' && (
        <Fact name={t('Description')}>{t('“{0}”', visibleText(shortened(description, MAX_DESCRIPTION)))}</Fact>
      )}
      {changes !== undefined && (
        <Fact name={t('Changed')}>
          <pre
            class="tool-changes"
            tabIndex={0}
            role="group"
            aria-label={t('Changed')}
            data-testid="approval-tool-changes"
          >
            {visibleText(changesIn(changes))}
          </pre>
        </Fact>
      )}
    </>
  );
}

/** Returns the lines of a diff that differ. */
function changesIn(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));
  return lines.join('\n');
}
