/** A question with its options, as a client shows it and as the transcript keeps it. */
import * as z from 'zod';
import { lazyObject } from './lazyObject.ts';

export const questionSchema = lazyObject(() => ({
  id: z.string(),
  header: z.string(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
}));
export type Question = z.infer<typeof questionSchema>;

/** The answers by question id: the labels of chosen options, or free text. */
export const answersSchema = z.record(z.string(), z.array(z.string()));
export type Answers = z.infer<typeof answersSchema>;
