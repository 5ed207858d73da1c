import type { AgentRole } from './agents.ts';

/** In characters: of one description, and of all. They are part of every request. */
const MAX_DESCRIPTION = 1_000;
const MAX_ALL = 8_000;

/** One line for each role. Descriptions that are too long are cut, and roles behind the limit have none. */
export function rolesText(roles: readonly AgentRole[]): string {
  let left = MAX_ALL;
  return roles
    .map(({ name, description }) => {
      const text = description.trim().slice(0, Math.min(MAX_DESCRIPTION, left));
      left -= text.length;
      return text === '' ? name : `${name}: ${text}`;
    })
    .join('\n');
}
