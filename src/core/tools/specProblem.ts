import { messageOf } from '../util/fileErrors.ts';
import type { ToolHandler } from './handler.ts';
import { strictProblem } from './strictSchema.ts';

/** In characters of JSON. A specification is sent with every request. */
const MAX_SPEC = 65_536;
/** Names that model servers accept: a request with another name is refused as a whole. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the reason why a tool cannot be offered, as a clause; `undefined` for one that can, and for one that is only
 * answered. Checked when it is registered, because a server refuses a request for one tool in it.
 */
export function specProblem({ names, spec, payloads = ['function'] }: ToolHandler): string | undefined {
  if (spec === undefined || spec.type === 'web_search') return undefined;
  if (!payloads.includes(spec.type)) return `it is offered as ${spec.type} and takes calls of ${payloads.join(', ')}`;
  if (spec.type === 'local_shell') return undefined;
  if (!NAME.test(spec.name)) return 'its name may have 1 to 64 letters, digits, _ and - only';
  if (!names.includes(spec.name)) return `its name ${spec.name} is not one that it answers to`;
  try {
    const { length } = JSON.stringify(spec);
    if (length > MAX_SPEC) return `its specification has ${length} characters, at most ${MAX_SPEC} are sent`;
  } catch (error) {
    return `its specification cannot be sent: ${messageOf(error)}`;
  }
  const strict = strictProblem(spec);
  return strict === undefined ? undefined : `it demands strict arguments, but ${strict}`;
}
