import { shortened } from '../../../protocol/text/truncate.ts';
import type { AgentRole } from './agents.ts';

/** In characters: of one description, and of all. They are part of every request. */
export const MAX_DESCRIPTION = 2_000;
const MAX_ALL = 8_000;

/** Returns one line for each role. Descriptions that are too long are cut, and roles behind the limit have none. */
export function rolesText(roles: readonly AgentRole[]): string {
  let left = MAX_ALL;
  return roles
    .map(({ name, description }) => {
      if (left === 0) return name;
      const text = shortened(description.trim(), Math.min(MAX_DESCRIPTION, left));
      left -= text.length;
      return `${name}: ${text}`;
    })
    .join('\n');
}
