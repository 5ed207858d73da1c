import type { ToolContext } from '../handler.ts';

const ALLOW_ONCE = 'Allow once';

/**
 * Asks the user about one file that may not be read; `hidden`: the file and the reason. The answer holds for this call
 * alone. Never under the approval policy `never`.
 */
export async function mayReadOnce(
  hidden: string,
  { inquire, settings, signal }: Pick<ToolContext, 'inquire' | 'settings' | 'signal'>,
): Promise<boolean> {
  if (settings.approvalPolicy === 'never') return false;
  const answer = await inquire(
    {
      source: 'tiller',
      questions: [
        {
          id: 'read',
          header: 'Read a file',
          question: `The model wants to read a file with secrets: ${hidden}. Its content would be sent to the model.`,
          options: [
            { label: ALLOW_ONCE, description: 'Read it for this call.' },
            { label: 'Do not allow', description: 'The model reads that you did not allow it.' },
          ],
        },
      ],
    },
    signal,
  );
  return answer.type === 'answered' && (answer.answers['read'] ?? []).includes(ALLOW_ONCE);
}
