import * as z from 'zod';
import { eventSchema } from '../src/protocol/event.ts';
import { turnItemSchema } from '../src/protocol/item.ts';
import { submissionLineSchema } from '../src/protocol/op.ts';
import { rulesFileSchema } from '../src/protocol/policy.ts';
import { responseItemSchema } from '../src/protocol/responseItem.ts';

/** Returns the JSON Schemas of the command line's input and output (docs/cli.md). */
export function protocolSchema(): unknown {
  const registry = z.registry<{ id: string }>();
  registry.add(eventSchema, { id: 'Event' });
  registry.add(turnItemSchema, { id: 'TurnItem' });
  registry.add(submissionLineSchema, { id: 'SubmissionLine' });
  registry.add(rulesFileSchema, { id: 'RulesFile' });
  registry.add(responseItemSchema, { id: 'ResponseItem' });
  return z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/schemas/${id}`, unrepresentable: 'any' });
}
