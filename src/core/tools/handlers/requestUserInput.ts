import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import { ownValue } from '../../../protocol/ownValue.ts';
import type { Answers } from '../../../protocol/question.ts';
import { assertNever } from '../../util/assertNever.ts';
import type { ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import type { QuestionAnswer } from '../inquiry.ts';
import { parseArguments } from '../parseArguments.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/** Codex-behaviour.md §4.8. */
const LIMITS = { questions: 3, header: 12, options: { min: 2, max: 3 } } as const;

const text = z.string().trim().min(1);
const questionSchema = lazyObject(() => ({
  id: text,
  header: text.max(LIMITS.header),
  question: text,
  options: z
    .array(z.object({ label: text, description: z.string() }))
    .min(LIMITS.options.min)
    .max(LIMITS.options.max)
    .refine((options) => isDistinct(options.map(({ label }) => label)), 'two options have the same label'),
}));
const argumentsSchema = lazyObject(() => ({
  questions: z
    .array(questionSchema)
    .min(1)
    .max(LIMITS.questions)
    .refine((questions) => isDistinct(questions.map(({ id }) => id)), 'two questions have the same id'),
}));
type Arguments = z.infer<typeof argumentsSchema>;
type Item = TurnItemOf<'user_question'>;

const SPEC: ToolHandler['spec'] = {
  type: 'function',
  name: 'request_user_input',
  description:
    'Asks the user and waits for the answers. Only for what changes your work and cannot be found out otherwise. The user can always answer in their own words: do not offer an option such as "Other".',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        description: '1 to 3.',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'Names the answer.' },
            header: { type: 'string', description: 'At most 12 characters.' },
            question: { type: 'string', description: 'One sentence.' },
            options: {
              type: 'array',
              description: '2 or 3 that exclude each other, your recommendation first.',
              items: {
                type: 'object',
                properties: {
                  label: { type: 'string', description: '1 to 5 words.' },
                  description: { type: 'string', description: 'What follows from it, in one sentence.' },
                },
                required: ['label', 'description'],
                additionalProperties: false,
              },
            },
          },
          required: ['id', 'header', 'question', 'options'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  },
};

const GO_ON = 'Decide yourself, say what you have assumed, and go on.';
/** The output for the model instead of answers, by the reason. */
const UNANSWERED = {
  never: `The approval policy is never, so the user is not asked anything. ${GO_ON}`,
  non_interactive: `No user can answer in this run. ${GO_ON}`,
  user: `The user has not answered and leaves the choice to you. ${GO_ON}`,
} as const;

/**
 * Asks the user up to three questions with two or three options each; the client adds free text (codex-behaviour.md
 * §4.8). Changes nothing, so the call can be run again after a reload of the window (`Inquire`).
 */
export function requestUserInput({ offered }: { readonly offered: boolean }): ToolHandler<Arguments, Item> {
  return {
    names: ['request_user_input'],
    spec: offered ? SPEC : undefined,
    isMutating: () => false,
    parse: (payload) => parseArguments(argumentsSchema, payload),
    async prepare({ questions }, { itemId, callId }) {
      const item: Item = { id: itemId, type: 'user_question', status: 'in_progress', callId, questions };
      return {
        type: 'ready',
        plan: item,
        item,
        requirement: {
          type: 'skip',
          bypassSandbox: false,
          reason: { source: 'policy', id: 'asks-only', text: 'It only asks the user.' },
        },
        approvalKeys: [],
      };
    },
    async run(item, _attempt, context) {
      const answer = await answerOf(item, context);
      return answer.type === 'answered' ? answered(item, answer.answers) : unanswered(item, answer.why);
    },
  };
}

type Outcome =
  | { readonly type: 'answered'; readonly answers: Extract<QuestionAnswer, { type: 'answered' }>['answers'] }
  | { readonly type: 'unanswered'; readonly why: keyof typeof UNANSWERED };

async function answerOf({ questions }: Item, { inquire, settings, signal }: ToolContext): Promise<Outcome> {
  if (settings.approvalPolicy === 'never') return { type: 'unanswered', why: 'never' };
  const answer = await inquire({ source: 'model', questions }, signal);
  switch (answer.type) {
    case 'answered':
      return answer;
    case 'declined':
    case 'cancelled':
      return { type: 'unanswered', why: answer.by === 'non_interactive' ? 'non_interactive' : 'user' };
    case 'accepted':
      throw new Error('A question was answered as an elicitation.');
    default:
      return assertNever(answer);
  }
}

function answered(item: Item, given: Extract<Outcome, { type: 'answered' }>['answers']): ToolResult {
  const all = item.questions.map(({ id }): [string, string[]] => [id, [...(ownValue(given, id) ?? [])]]);
  const answers: Answers = Object.fromEntries(all);
  const forModel = Object.fromEntries(all.map(([id, said]) => [id, { answers: said }]));
  return {
    output: JSON.stringify({ answers: forModel }),
    success: true,
    item: { ...item, status: 'completed', answers },
  };
}

function unanswered(item: Item, why: keyof typeof UNANSWERED): ToolResult {
  const output = UNANSWERED[why];
  return {
    output,
    success: false,
    item: { ...item, status: 'declined', ...(why === 'user' ? {} : { why: output }) },
  };
}

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
