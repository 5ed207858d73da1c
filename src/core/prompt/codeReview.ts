/** The texts of a review for the agent `reviewer` and for the model of the thread. */
import type { Finding, ReviewTarget } from '../../protocol/codeReview.ts';
import type { MessageItem } from '../../protocol/responseItem.ts';
import { findingText, reviewSubject } from '../../protocol/text/findings.ts';
import { userText } from './notices.ts';

/** The form of the answer is that of Codex (codex-rs/core/review_prompt.md), which its models are trained on. */
const FORM = `Answer with one JSON object and nothing else: no fence, no text around it.
{
  "findings": [
    {
      "title": "<what to do, at most 80 characters>",
      "body": "<Markdown, one paragraph: what goes wrong, when, and why>",
      "confidence_score": <0.0 to 1.0>,
      "priority": <0: must be fixed at once, 1: urgent, 2: normal, 3: low>,
      "code_location": {
        "absolute_file_path": "<path>",
        "line_range": {"start": <first line>, "end": <last line>}
      }
    }
  ],
  "overall_correctness": "patch is correct" | "patch is incorrect",
  "overall_explanation": "<1 to 3 sentences>",
  "overall_confidence_score": <0.0 to 1.0>
}
Lines are those of the files as they are now, counted from 1, and as few as show the fault. One finding for each fault, the worst first; "findings": [] where there is none.`;

const SCOPE = `Report every fault that these changes bring and that their author would fix: wrong results, lost data, security, broken callers, missing cases. Leave out faults that were there before, guesses, style and praise. Check each against the code. Change nothing.`;

export interface ReviewOrder {
  readonly target: ReviewTarget;
  /** The user's instructions for the reviewer. */
  readonly instructions?: string | undefined;
}

/** The request to the reviewer. If `hasChanges`, the changes follow as an attachment. */
export function reviewRequest({ target, instructions = '' }: ReviewOrder, hasChanges: boolean): string {
  const given = hasChanges
    ? 'They are attached; where they are cut, or where you need more, look yourself'
    : 'Look at them yourself';
  const wish = instructions.trim();
  return [
    `Review ${wanted(target)}. ${given}: ${howToSee(target)}.`,
    SCOPE,
    ...(wish === '' ? [] : [`The user adds: ${wish}`]),
    FORM,
  ].join('\n\n');
}

function wanted(target: ReviewTarget): string {
  return target.type === 'uncommitted'
    ? 'the uncommitted changes: staged, not staged, and new files'
    : `the ${reviewSubject(target)}`;
}

function howToSee(target: ReviewTarget): string {
  switch (target.type) {
    case 'uncommitted':
      return '`git status --short`, `git diff HEAD`, and new files as they are';
    case 'branch':
      return `\`git diff $(git merge-base HEAD ${quoted(target.branch)})\``;
    case 'commit':
      return `\`git show ${target.commit}\``;
  }
}

/** Quotes a name for a shell: git allows `$(…)` and `;` in the name of a branch. */
function quoted(name: string): string {
  return /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

/** Requests the form once more. `problem`: the fault of the answer, as a sentence. */
export function reviewRepair(problem: string): string {
  return `Tiller cannot read your answer: ${problem} Give the same findings again.\n\n${FORM}`;
}

/** Recorded before the answer, so that the model of the thread knows its subject. */
export function reviewNotice(target: ReviewTarget): MessageItem {
  const text = `The user has had an agent review the ${reviewSubject(target)}. What it has found follows. Change nothing before the user asks for it.`;
  return userText(`<user_action>\n${text}\n</user_action>`);
}

/** The findings as a message of the model. */
export function reviewAnswer(findings: readonly Finding[], text: string): string {
  const listed = findings.map((finding, index) => `${index + 1}. ${findingText(finding)}`);
  return [text.trim(), ...listed].filter((part) => part !== '').join('\n\n') || 'No findings.';
}
