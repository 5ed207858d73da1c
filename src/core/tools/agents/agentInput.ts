import * as z from 'zod';
import type { UserInput } from '../../../protocol/item.ts';

const itemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image'),
    image_url: z.string().regex(/^data:image\//, 'must be a data: URL of an image'),
  }),
  z.object({ type: z.literal('mention'), name: z.string(), path: z.string() }),
]);

/** A message for an agent: a text, or items as Codex has them. */
export const agentInputShape = {
  message: z.string().optional(),
  items: z.array(itemSchema).optional(),
};

const inputSchema = z.object(agentInputShape);

/** The message for an agent, or the fault in it. */
export function readAgentInput({
  message,
  items,
}: z.infer<typeof inputSchema>): { readonly input: readonly UserInput[] } | { readonly problem: string } {
  if (message !== undefined && items !== undefined) return { problem: 'Give either message or items, not both.' };
  if (message !== undefined) {
    return message.trim() === ''
      ? { problem: 'An agent cannot be sent an empty message.' }
      : { input: [{ type: 'text', text: message }] };
  }
  if (items === undefined) return { problem: 'Give a message, or items.' };
  const input = items.map((item): UserInput => {
    if (item.type === 'image') return { type: 'image', imageUrl: item.image_url };
    return item;
  });
  const isEmpty = input.every((part) => part.type === 'text' && part.text.trim() === '');
  return isEmpty ? { problem: 'An agent cannot be sent an empty message.' } : { input };
}

/** The JSON Schema of `agentInputShape`. */
export const AGENT_INPUT_PROPERTIES = {
  message: { type: 'string', description: 'Text. Give this or items.' },
  items: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['text', 'image', 'mention'] },
        text: { type: 'string' },
        image_url: { type: 'string', description: 'A data: URL.' },
        name: { type: 'string' },
        path: { type: 'string' },
      },
      required: ['type'],
      additionalProperties: false,
    },
  },
} as const;
